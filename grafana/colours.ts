/** One colour for each quantity, wherever it is drawn. */
export const COLOURS = {
  solar: '#FADE2A',
  battery: '#73BF69',
  house: '#5794F2',
  grid: '#B877D9',
  output: '#FF9830',
} as const;

/** The colours of states, from Grafana's own palette. */
export const STATES = {
  good: 'green',
  attention: 'orange',
  bad: 'red',
  notice: 'blue',
  neutral: 'text',
  off: '#6E7079',
} as const;

/** A colour of {@link COLOURS} or {@link STATES}. */
export type Colour = (typeof COLOURS)[keyof typeof COLOURS] | (typeof STATES)[keyof typeof STATES];
