#!/usr/bin/env bash
# Client generators of others, as outside witnesses of /openapi.json, into the folder named: each that this machine can have. The
# tests of one that is not there are skipped by name.
set -uo pipefail
place=$1
mkdir -p "$place/go"

# Each program runs once and shortly: the compiler's optimizations would take longer than they save. The tests use the same flags.
export GOFLAGS="'-gcflags=all=-N -l'"

need() { command -v "$1" >/dev/null 2>&1; }

openapi_typescript() {
  [ -x "$place/node_modules/.bin/openapi-typescript" ] ||
    npm install --silent --no-audit --no-fund --no-save --prefix "$place" openapi-typescript@7.13.0 openapi-fetch@0.17.0
}

openapi_python_client() {
  [ -x "$place/python/bin/openapi-python-client" ] && return 0
  python3 -m venv "$place/python" &&
    "$place/python/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1
}

# What a Python client of openapi-generator imports.
python_modules() {
  [ -e "$place/python/of-openapi-generator" ] && return 0
  "$place/python/bin/pip" install --quiet --disable-pip-version-check urllib3==2.7.0 python-dateutil==2.9.0.post0 pydantic &&
    touch "$place/python/of-openapi-generator"
}

# Their own modules too, so that the tests build without the network.
go_modules() {
  need go || return 0
  [ -s "$place/go/go.sum" ] && return 0
  printf 'module clients\n\ngo 1.21\n' >"$place/go/go.mod"
  printf 'package clients\n\nimport (\n\t_ "github.com/oapi-codegen/runtime"\n\t_ "github.com/oapi-codegen/runtime/types"\n\t_ "gopkg.in/validator.v2"\n)\n' >"$place/go/use.go"
  (cd "$place/go" && go get github.com/oapi-codegen/runtime@v1.8.0 gopkg.in/validator.v2@v2.0.1 && go mod tidy && go build ./...)
}

oapi_codegen() {
  need go || return 0
  [ -x "$place/bin/oapi-codegen" ] ||
    GOBIN="$place/bin" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
}

openapi_generator() {
  need java && need mvn || return 0
  [ -s "$place/openapi-generator-cli-7.17.0.jar" ] ||
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
      -Dartifact=org.openapitools:openapi-generator-cli:7.17.0 -DoutputDirectory="$place"
}

for tool in openapi_typescript openapi_python_client python_modules go_modules oapi_codegen openapi_generator; do
  "$tool" >"$place/$tool.log" 2>&1 || echo "could not be installed, its tests are skipped: $tool"
done
