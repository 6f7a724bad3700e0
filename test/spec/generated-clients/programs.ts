/**
 * One program for each generated client: it sends one message and prints the `status` of the answer. The one in Python uses what was added to
 * the contract too, and prints the status that all of its sends have.
 */
export interface Sending {
  url: string;
  key: string;
  channelId: string;
  recipient: string;
}

const text = 'From a generated client';

export const openapiTypescript = ({ url, key, channelId, recipient }: Sending): string => `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';
const client = createClient<paths>({ baseUrl: '${url}', headers: { 'X-API-Key': '${key}' } });
const body = { channel_id: '${channelId}', recipient: '${recipient}', text: '${text}' };
const { data, error } = await client.POST('/api/v1/messages/send', { body });
console.log(data === undefined ? JSON.stringify(error) : data.status);
`;

export const typescriptFetch = ({ url, key, channelId, recipient }: Sending): string => `
import { Configuration, MessagesApi } from './client/index.ts';
const api = new MessagesApi(new Configuration({ basePath: '${url}', apiKey: '${key}' }));
const sendMessageRequest = { channelId: '${channelId}', recipient: '${recipient}', text: '${text}' };
const { status } = await api.sendText({ sendMessageRequest });
console.log(status);
`;

export const python = ({ url, key, channelId, recipient }: Sending): string => `
import io
from uuid import UUID
from client import models
from client.api.channels import update_channel, update_default_webhook
from client.api.endpoints import add_endpoint
from client.api.media import upload_media
from client.api.messages import list_messages, send_interactive, send_location, send_media, send_reaction, send_text
from client.client import AuthenticatedClient
from client.types import File

client = AuthenticatedClient(base_url="${url}", token="${key}", prefix="", auth_header_name="X-API-Key")
channel = UUID("${channelId}")
to = dict(channel_id=channel, recipient="${recipient}")
text = send_text.sync(client=client, body=models.SendMessageRequest(**to, text="${text}"))
about = str(text.message_id)
buttons = dict(interactive_type=models.SendInteractiveRequestInteractiveType.BUTTONS, buttons=[models.ReplyButton(id="a", title="A")])
file = File(payload=io.BytesIO(b"a picture"), file_name="cake.jpg", mime_type="image/jpeg")
upload = models.UploadMediaRequest(channel_id=channel, media_type=models.UploadMediaRequestMediaType.IMAGE, file=file)
uploaded = upload_media.sync(client=client, body=upload)
image = dict(media_type=models.SendMediaRequestMediaType.IMAGE, media_id=str(uploaded.media_id))
answers = [
    text,
    send_interactive.sync(client=client, body=models.SendInteractiveRequest(**to, **buttons, text="Press", reply_to=about)),
    send_location.sync(client=client, body=models.SendLocationRequest(**to, latitude=53.5, longitude=10)),
    send_reaction.sync(client=client, body=models.SendReactionRequest(**to, message_id=about, emoji="👍")),
    send_media.sync(client=client, body=models.SendMediaRequest(**to, **image)),
]
refused = send_text.sync(client=client, body=models.SendMessageRequest(channel_id=channel, recipient="", text="x"))
assert refused.detail.code == "invalid_recipient", refused
assert len(list_messages.sync(client=client, recipient="${recipient}").messages) == len(answers)
assert update_channel.sync(channel_id=channel, client=client, body=models.ChannelUpdateRequest(ordered=True)).id == channel
kept = models.DefaultWebhookRequest(failed_retention_days=3)
assert update_default_webhook.sync(client=client, body=kept).failed_retention_days == 3
events = [models.EndpointRequestEventsItem.MESSAGE_RECEIVED]
endpoint = models.EndpointRequest(url="http://127.0.0.1:9/", events=events)
assert add_endpoint.sync(channel_id=channel, client=client, body=endpoint).events == ["message.received"]
print(*{getattr(answer.status, "value", answer.status) for answer in answers})
`;

/** Of openapi-generator; the other one is of openapi-python-client. */
export const pythonGenerated = ({ url, key, channelId, recipient }: Sending): string => `
import openapi_client as api

client = api.ApiClient(api.Configuration(host="${url}", api_key={"apiKey": "${key}"}))
messages, channels = api.MessagesApi(client), api.ChannelsApi(client)
to = dict(channel_id="${channelId}", recipient="${recipient}")
text = messages.send_text(api.SendMessageRequest(**to, text="${text}"))
picture = ("cake.jpg", b"a picture")
uploaded = api.MediaApi(client).upload_media(channel_id="${channelId}", media_type="image", file=picture)
image = api.SendMediaRequest(**to, media_type="image", media_id=str(uploaded.media_id))
answers = [text, messages.send_media(image)]
try:
    messages.send_text(api.SendMessageRequest(channel_id="${channelId}", recipient="", text="x"))
except api.ApiException as refused:
    assert refused.data.actual_instance.detail.code == "invalid_recipient", refused
assert len(messages.list_messages(recipient="${recipient}").messages) == len(answers)
assert channels.update_channel("${channelId}", api.ChannelUpdateRequest(ordered=True)).ordered is True
assert channels.list_channels().total == 1
assert len(api.TemplatesApi(client).list_templates("${channelId}").templates) > 0
print(*{answer.status.actual_instance for answer in answers})
`;

export const oapiCodegen = ({ url, key, channelId, recipient }: Sending): string => `
package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
)

func main() {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", "${key}")
		return nil
	}
	client, err := NewClientWithResponses("${url}", WithRequestEditorFn(withKey))
	if err != nil {
		panic(err)
	}
	body := SendMessageRequest{ChannelId: uuid.MustParse("${channelId}"), Recipient: "${recipient}", Text: "${text}"}
	answer, err := client.SendTextWithResponse(context.Background(), &SendTextParams{}, body)
	if err != nil {
		panic(err)
	}
	status, err := answer.JSON200.Status.AsSendMessageResponseStatus1()
	if err != nil {
		panic(err)
	}
	direction := ListMessagesParamsDirection("outbound")
	listed, err := client.ListMessagesWithResponse(context.Background(), &ListMessagesParams{Direction: &direction})
	if err != nil {
		panic(err)
	}
	if listed.StatusCode() != 200 {
		panic(listed.Status())
	}
	fmt.Println(status)
}
`;

export const goGenerated = ({ url, key, channelId, recipient }: Sending): string => `
package main

import (
	"context"
	"encoding/json"
	"fmt"

	openapi "clients/client"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: "${url}"}}
	configuration.AddDefaultHeader("X-API-Key", "${key}")
	client := openapi.NewAPIClient(configuration)
	body := openapi.NewSendMessageRequest("${channelId}", "${recipient}", "${text}")
	answer, _, err := client.MessagesAPI.SendText(context.Background()).SendMessageRequest(*body).Execute()
	if err != nil {
		panic(err)
	}
	status, err := json.Marshal(answer.Status)
	if err != nil {
		panic(err)
	}
	var said string
	if err := json.Unmarshal(status, &said); err != nil {
		panic(err)
	}
	fmt.Println(said)
}
`;
