import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { COLOURS } from '../colours.ts';
import { statPair } from '../panels.ts';
import { UNITS } from '../units.ts';

/** Kilowatt-hours of each station, by flow. */
export interface StationEnergies {
  readonly generated: string;
  readonly consumed: string;
  readonly imported: string;
  readonly fedIn: string;
}

/** How much of what the house drew was its own, and how much of what the panels gave it kept. */
export function shares(title: string, about: string, energies: StationEnergies): Panel {
  const { generated, consumed, imported, fedIn } = energies;
  return statPair(
    {
      title,
      description: `Self-sufficient: the share of what the house drew that did not come from the grid; self-consumed: the share of what the panels gave that was not fed in. ${about}`,
      unit: UNITS.percent,
      decimals: 0,
      min: 0,
      max: 1,
    },
    [
      {
        expr: share(consumed, imported),
        legend: 'self-sufficient',
        colour: COLOURS.house,
      },
      {
        expr: share(generated, fedIn),
        legend: 'self-consumed',
        colour: COLOURS.solar,
      },
    ],
  );
}

/** The share of the whole without the part, of the stations of which both are known. */
function share(whole: string, part: string): string {
  return `clamp_min(sum(${whole} - ${part}) / (sum(${whole} and ${part}) > 0), 0)`;
}
