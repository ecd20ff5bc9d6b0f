/** Keeps the known figures. One that is not finite counts as unknown: JSON cannot express it. */
export function figures<Name extends string>(
  values: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const known: Partial<Record<Name, number>> = {};
  for (const name in values) if (Number.isFinite(values[name])) known[name] = values[name];
  return known;
}

/** Returns a text of the service under a field's name; without the field when the text is empty. */
export function text<Name extends string>(name: Name, value = ''): Partial<Record<Name, string>> {
  return value === '' ? {} : ({ [name]: shortened(value) } as Record<Name, string>);
}

/** Enough for a person to read; a browser needs seconds to lay out a much longer text. */
const LONGEST_TEXT = 200;

/** Cuts a text of the service to {@link LONGEST_TEXT}, without half a character at its end. */
export function shortened(value: string): string {
  if (value.length <= LONGEST_TEXT) return value;
  return `${Array.from(value.slice(0, LONGEST_TEXT)).slice(0, -1).join('')}…`;
}
