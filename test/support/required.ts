/** `REQUIRE_SERVICES=1`: what a machine lacks fails the tests that need it, which are skipped otherwise. [operator-interface §1] */
export const areServicesRequired = process.env['REQUIRE_SERVICES'] === '1';
