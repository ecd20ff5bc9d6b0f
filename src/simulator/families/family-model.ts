import type { InverterState } from '../physics/inverter.ts';
import type { PortalSetting } from './portal-setting.ts';

/** One attribute of a family: how the portal tags it and how the inverter measures it. */
export interface Field {
  /** The unit tag, letter for letter as the portal sends it; empty for texts. */
  readonly unit: string;
  /** `numeric-text` is a number in a string. */
  readonly kind: 'number' | 'numeric-text' | 'text';
  readonly measure: (state: InverterState) => number | string;
  /** The text that the portal shows in place of a value. */
  readonly displays?: Readonly<Record<string, string>>;
}

/** Some of a family's keys, or all of them. */
export type Keys = readonly string[] | 'all';

/** How a family answers the keys history (field notes 2.4). */
export interface HistoryRule {
  readonly keys: Keys;
  /** How a requested key without values is answered. */
  readonly lacking: 'left-out' | 'all-null';
  /** Keys that arrive late: null at so many of the newest instants. */
  readonly lateKeys: Readonly<Record<string, number>>;
  /** Whether `formatters` carries the units. */
  readonly hasUnits: boolean;
  /** Whether a window without frames has no payload at all. */
  readonly isNullWhenEmpty: boolean;
}

/** Names a node of the energy flow. */
export type FlowNode = 'pvPanelFlow' | 'gridFlow' | 'batteryFlow' | 'loadFlow';

/** How a family answers the energy flow (field notes 2.6). */
export interface FlowRule {
  /** Per node, the key of its value and then those of its extra values; empty: a null value. */
  readonly nodes: Readonly<Record<FlowNode, readonly string[]>>;
  /** The keys of `deviceAttributeState`. */
  readonly attributes: Keys;
}

/** The keys, units and answers of one inverter family. */
export interface FamilyModel {
  readonly fields: Readonly<Record<string, Field>>;
  readonly history: HistoryRule;
  readonly latest: Keys;
  /** Undefined: refused with code 70132. */
  readonly flow: FlowRule | undefined;
  /** What the portal's form of the settings holds. */
  readonly settings: readonly PortalSetting[];
  /** Null where the portal does not know it either. */
  readonly deviceModel: string | null;
  /** Made up. */
  readonly gatherProtocolNumber: string;
  /** Whether only `pvGeneratedEnergy` of the yearly summary is measured. */
  readonly isPvOnlySummary: boolean;
}

/** Spells out {@link Keys}, in the order of the table of fields. */
export function keysOf({ fields }: FamilyModel, keys: Keys): readonly string[] {
  return keys === 'all' ? Object.keys(fields) : keys;
}
