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
const UNITS: Readonly<Record<string, string>> = {
  watts: 'W',
  volts: 'V',
  amperes: 'A',
  celsius: '°C',
  hertz: 'Hz',
  kwh: 'kWh',
  seconds: 's',
  ratio: '%',
};

/** Abbreviations, which are written in capitals. */
const ABBREVIATIONS = /\b(?:pv|ac|soc|soh|bms)\b/g;

/**
 * Reads the name of a metric as words, so that whatever a person reads has the words of the metrics. The
 * value of a label stands behind the label's own word where the name has it: `PV string 1 power`.
 */
export function wordsOf(name: string, labels: Readonly<Record<string, unknown>> = {}): MetricWords {
  // What is shown is always about the devices of a solar plant.
  const words = name.replace(/^solar_(?:device_)?/, '').split('_');
  const measure = words.at(-1) ?? '';
  const unit = UNITS[measure] ?? '';
  if (unit !== '') words.pop();
  const spelt = words
    .join(' ')
    .replace(ABBREVIATIONS, (word) => word.toUpperCase())
    .replace('feed in', 'feed-in');
  const quantity = Object.entries(labels).reduce((text, [label, value]) => {
    const word = new RegExp(`\\b${label}\\b`);
    return word.test(text)
      ? text.replace(word, () => `${label} ${String(value)}`)
      : `${text} (${String(value)})`;
  }, spelt);
  return { quantity, unit, scale: measure === 'ratio' ? 100 : 1 };
}
