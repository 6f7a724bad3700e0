/** One program for each generated client: it sends one message and prints the `status` of the answer. */
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
from uuid import UUID
from client.client import AuthenticatedClient
from client.api.messages import send_text
from client.models.send_message_request import SendMessageRequest
client = AuthenticatedClient(base_url="${url}", token="${key}", prefix="", auth_header_name="X-API-Key")
body = SendMessageRequest(channel_id=UUID("${channelId}"), recipient="${recipient}", text="${text}")
answer = send_text.sync(client=client, body=body)
print(getattr(answer.status, "value", answer.status))
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
