<?php
// require 'verify.php';

/** $rawBody: the bytes as they came (php://input), before anything parses them. $header: X-Webhook-Signature, or X-Webhook-Signature-Previous. */
function isOurs(string $secret, string $rawBody, ?string $header): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
    return hash_equals($expected, $header ?? '');
}
