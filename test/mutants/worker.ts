// Runs files of tests of the working folder when its parent asks, with the mutants on that it names, until one fails.
import { writeFileSync } from 'node:fs';
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';

export interface Question {
  readonly on: readonly number[];
  /** Absent for every file. */
  readonly files?: readonly string[];
}

export interface Answer {
  readonly durationsMs: Readonly<Record<string, number>>;
  /** The first test that failed; absent where all passed. */
  readonly failure?: string | undefined;
}

/** Leaves the files in the order in which they were asked for. */
class AsAsked {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

const vitest = await createVitest('test', {
  config: 'vitest.mutants.config.ts',
  watch: false,
  maxWorkers: 1,
  reporters: [{}],
  sequence: { sequencer: AsAsked },
});
const everyFile = await vitest.globTestSpecifications();

function firstFailure(modules: readonly TestModule[]): string | undefined {
  const module = modules.find((each) => each.state() === 'failed');
  const [test] = module?.children.allTests('failed') ?? [];
  return test?.fullName ?? module?.errors()[0]?.message;
}

async function answer({ on, files }: Question): Promise<Answer> {
  writeFileSync(process.env['MUTANTS_ON'] ?? '', JSON.stringify(on));
  const asked = files?.flatMap((file) => everyFile.filter(({ moduleId }) => moduleId === file));
  const durationsMs: Record<string, number> = {};
  for (const project of vitest.projects) {
    const own = (asked ?? everyFile).filter((file) => file.project === project);
    // Otherwise a file that is not run any more would be told as it was the time before.
    vitest.state.filesMap.clear();
    vitest.state.errorsSet.clear();
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(own);
    for (const module of testModules) durationsMs[module.moduleId] = module.diagnostic().duration;
    const failure = firstFailure(testModules) ?? unhandledErrors.map(String)[0];
    if (failure !== undefined) return { durationsMs, failure };
  }
  return { durationsMs };
}

process.on('message', (question: Question) => {
  void answer(question).then((answered) => process.send?.(answered));
});
process.send?.('ready');
