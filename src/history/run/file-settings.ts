import { z } from 'zod';
import type { Labels } from '../../collectors/metric.ts';
import type { MaxAge } from '../../model/cadence.ts';
import { FILE_FORMATS, type FileFormat } from '../formats.ts';

/** What makes the samples of a run what they are, apart from the months. */
export interface SampleSettings {
  readonly intervalMs: number;
  /** Of every series beside its own. */
  readonly labels: Labels;
  /** The rules of the user for field keys, as the file has them. */
  readonly dialect: readonly unknown[] | undefined;
  /** When readings are withdrawn. */
  readonly maxAgeMs: MaxAge;
  readonly isEnergyWanted: boolean;
}

export interface FileSettings extends SampleSettings {
  readonly format: FileFormat;
}

const FORMATS = Object.keys(FILE_FORMATS) as FileFormat[];

const sampleFields = {
  intervalMs: z.number().positive(),
  labels: z.record(z.string(), z.string()),
  dialect: z.array(z.unknown()).optional(),
  maxAgeMs: z.union([z.number().positive(), z.literal('auto')]),
  isEnergyWanted: z.boolean(),
};

export const sampleSettingsSchema = z.object(sampleFields);
export const fileSettingsSchema = z.object({ ...sampleFields, format: z.enum(FORMATS) });

/** Returns the options, by flag, in which settings differ. */
export function differences(
  one: Partial<FileSettings>,
  other: Partial<FileSettings>,
): readonly string[] {
  const flags = {
    format: '--format',
    intervalMs: '--interval',
    labels: '--label',
    dialect: '--dialect.file',
    maxAgeMs: '--cache.max-age',
    isEnergyWanted: '--collect.energy',
  } as const;
  return Object.entries(flags)
    .filter(([key]) => {
      const [here, there] = [one, other].map((settings) => settings[key as keyof typeof flags]);
      return canonical(here) !== canonical(there);
    })
    .map(([, flag]) => flag);
}

/** Writes a value so that equal ones are equal texts. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
