/** With `REQUIRE_SERVICES=1`, a test fails if this machine lacks the server or browser that it needs; without, it is skipped. [operator-interface §1] */
export const areServicesRequired = process.env['REQUIRE_SERVICES'] === '1';
