import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';

/** What the API server checks of the objects of the Prometheus operator, as far as our manifests use it. */

const text = { type: 'string', minLength: 1 };
const labels = { type: 'object', additionalProperties: { type: 'string' } };
const duration = {
  type: 'string',
  pattern:
    '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
  minLength: 1,
};
const labelName = { type: 'string', pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' };
const list = (items: object) => ({ type: 'array', items });

/** An object with these fields and no others: the API server drops what it does not know, without a word. */
function fields(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}

const relabelings = list(
  fields({
    sourceLabels: list(labelName),
    separator: { type: 'string' },
    targetLabel: text,
    regex: { type: 'string' },
    modulus: { type: 'integer' },
    replacement: { type: 'string' },
    action: {
      enum: [
        ...['replace', 'keep', 'drop', 'hashmod', 'labelmap', 'labeldrop', 'labelkeep'],
        ...['lowercase', 'uppercase', 'keepequal', 'dropequal'],
      ],
    },
  }),
);

const SPECS: Readonly<Record<string, object>> = {
  'monitoring.coreos.com/v1alpha1 ScrapeConfig': fields({
    jobName: text,
    scrapeInterval: duration,
    scrapeTimeout: duration,
    metricsPath: text,
    scheme: { enum: ['HTTP', 'HTTPS', 'http', 'https'] },
    params: { type: 'object', additionalProperties: list({ type: 'string' }) },
    httpSDConfigs: list(
      fields({ url: { type: 'string', pattern: '^https?://.+$' }, refreshInterval: duration }, [
        'url',
      ]),
    ),
    staticConfigs: list(fields({ targets: { ...list(text), minItems: 1 }, labels }, ['targets'])),
    relabelings,
    metricRelabelings: relabelings,
  }),
  'monitoring.coreos.com/v1 ServiceMonitor': fields(
    {
      selector: fields({ matchLabels: labels }),
      endpoints: list(
        fields({
          port: text,
          path: text,
          interval: duration,
          scrapeTimeout: duration,
          relabelings,
          metricRelabelings: relabelings,
        }),
      ),
    },
    ['selector', 'endpoints'],
  ),
  'monitoring.coreos.com/v1 PrometheusRule': fields({
    groups: list(
      fields(
        {
          name: text,
          interval: duration,
          limit: { type: 'integer' },
          labels,
          rules: list({
            ...fields(
              {
                alert: text,
                record: text,
                expr: text,
                for: duration,
                keep_firing_for: duration,
                labels,
                annotations: labels,
              },
              ['expr'],
            ),
            oneOf: [{ required: ['alert'] }, { required: ['record'] }],
          }),
        },
        ['name'],
      ),
    ),
  }),
};

const NAME = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' };
const ajv = new Ajv2019({ allErrors: true, strict: false });
const validators: ReadonlyMap<string, ValidateFunction> = new Map(
  Object.entries(SPECS).map(([kind, spec]) => {
    const metadata = fields({ name: NAME, namespace: NAME, labels, annotations: labels }, ['name']);
    const head = { apiVersion: text, kind: text, metadata };
    return [kind, ajv.compile(fields({ ...head, spec }, ['metadata', 'spec']))];
  }),
);

/** Returns what is wrong with an object of the Prometheus operator. */
export function problemsOf(object: unknown): readonly string[] {
  const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
  const validate = validators.get(`${String(apiVersion)} ${String(kind)}`);
  if (validate === undefined) return [`no schema for ${String(apiVersion)} ${String(kind)}`];
  validate(object);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}
