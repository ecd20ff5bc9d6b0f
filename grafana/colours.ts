/** One colour for each quantity, wherever it is drawn; as text, each can be read on white and on dark panels. */
export const COLOURS = {
  solar: '#BC8600',
  battery: '#4D9E42',
  house: '#3A77DE',
  grid: '#A45ECF',
} as const;

/** The colours of states, which can be read on both as well. */
export const STATES = {
  good: '#3B9A46',
  attention: '#D97000',
  bad: '#E02F44',
  notice: '#3274D9',
  neutral: 'text',
  off: '#6E7079',
} as const;
