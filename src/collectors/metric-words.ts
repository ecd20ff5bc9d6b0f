/** How people read a metric: its words and its unit. */
export interface MetricWords {
  /** `battery SOC`, of `solar_battery_soc_ratio`. */
  readonly quantity: string;
  /** What to write behind a value; empty for a number without a unit. */
  readonly unit: string;
  /** How many of that unit the metric's own unit is: 100 for a ratio, which people read in percent. */
  readonly scale: number;
}

/** The unit at the end of a name, as people write it. */
const UNITS: Readonly<Record<string, { readonly unit: string; readonly scale: number }>> = {
  watts: { unit: 'W', scale: 1 },
  volts: { unit: 'V', scale: 1 },
  amperes: { unit: 'A', scale: 1 },
  celsius: { unit: '°C', scale: 1 },
  hertz: { unit: 'Hz', scale: 1 },
  kwh: { unit: 'kWh', scale: 1 },
  seconds: { unit: 's', scale: 1 },
  ratio: { unit: '%', scale: 100 },
};

/** What is not spelt as one small word. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\bpv\b/, 'PV'],
  [/\bac\b/, 'AC'],
  [/\bsoc\b/, 'SOC'],
  [/\bsoh\b/, 'SOH'],
  [/\bbms\b/, 'BMS'],
  [/\bfeed in\b/, 'feed-in'],
];

/**
 * Reads the name of a metric as words, so that whatever a person reads has the words of the metrics. The
 * value of a label stands behind the label's own word where the name has it: `PV string 1 power`.
 */
export function wordsOf(name: string, labels: Readonly<Record<string, unknown>> = {}): MetricWords {
  // What is shown is always about the devices of a solar plant.
  const words = name.replace(/^solar_(?:device_)?/, '').split('_');
  const measure = UNITS[words.at(-1) ?? ''];
  if (measure !== undefined) words.pop();
  const spelt = SPELLINGS.reduce(
    (text, [pattern, spelling]) => text.replace(pattern, spelling),
    words.join(' '),
  );
  const quantity = Object.entries(labels).reduce((text, [label, value]) => {
    const word = new RegExp(`\\b${label}\\b`);
    return word.test(text)
      ? text.replace(word, () => `${label} ${String(value)}`)
      : `${text} (${String(value)})`;
  }, spelt);
  return { quantity, ...(measure ?? { unit: '', scale: 1 }) };
}
