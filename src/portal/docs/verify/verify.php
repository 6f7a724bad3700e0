<?php
// php verify.php SECRET SIGNATURE < body: ends with 0 when the signature is right

/** $rawBody: the bytes as they came (php://input), before anything parses them. $header: X-Webhook-Signature. */
function isOurs(string $secret, string $rawBody, string $header): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
    return hash_equals($expected, $header);
}

exit(isOurs($argv[1], stream_get_contents(STDIN), $argv[2]) ? 0 : 1);
