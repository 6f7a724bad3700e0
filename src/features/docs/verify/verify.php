<?php
// require 'verify.php';

/** $rawBody: the bytes as they came (php://input), before anything parses them. $header: X-Webhook-Signature, or X-Webhook-Signature-Previous. */
function isOurs(string $secret, string $rawBody, ?string $header): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
    return hash_equals($expected, $header ?? '');
}

/** Refuses a repeated old delivery too. $id, $timestamp, $signature: webhook-id, webhook-timestamp and webhook-signature. */
function isOursAndRecent(string $secret, string $rawBody, ?string $id, ?string $timestamp, ?string $signature): bool
{
    if (abs(time() - (int) $timestamp) > 300) return false;
    $mac = hash_hmac('sha256', "$id.$timestamp.$rawBody", keyOf($secret), true);
    $isEqual = fn (string $given): bool => hash_equals('v1,' . base64_encode($mac), $given);
    return array_filter(explode(' ', $signature ?? ''), $isEqual) !== [];
}

/** Base64 after whsec_ is decoded; any other secret is the key as it is. */
function keyOf(string $secret): string
{
    $base64 = '~^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$~D';
    return preg_match($base64, $secret, $found) && $found[1] !== '' ? base64_decode($found[1]) : $secret;
}
