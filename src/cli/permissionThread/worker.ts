/**
 * Entry point of the thread that decides about commands. `workerData.wasm`: the folder with the grammar; `env`: the
 * environment that the commands would run in.
 */
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer } from '../../context/index.ts';
import { InProcessEngine } from '../../permissions/InProcessEngine.ts';
import { createDeniedPlaces } from '../permissions/deniedPlaces.ts';
import { GRAMMAR_FLAGS } from '../process/heap.ts';
import type { EngineQuestion } from './ThreadedEngine.ts';

// The main thread does so as soon as this thread runs, but the grammar could be loaded sooner.
for (const [wanted] of GRAMMAR_FLAGS) setFlagsFromString(wanted);

const engine = new InProcessEngine(String(workerData.wasm), { ...workerData.env });

const findDenied = createDeniedPlaces();

parentPort?.on('message', async (question: EngineQuestion) => {
  const { id } = question;
  try {
    const result = await run(question);
    answer({ id, type: 'done', result, ...(engine.isSpent && { isLast: true }) });
  } catch (error) {
    answer({ id, type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});

async function run(question: EngineQuestion): Promise<unknown> {
  switch (question.type) {
    case 'decide':
      return engine.decide(...question.args);
    case 'explain':
      return engine.explain(...question.args);
    case 'matches':
      return engine.matches(...question.args);
    case 'gitUse':
      return engine.gitUse(...question.args);
    case 'replacesPackages':
      return engine.replacesPackages(...question.args);
    case 'installs':
      return engine.installs(...question.args);
    case 'steps':
      return engine.steps(...question.args);
    case 'effects':
      return engine.effects(...question.args);
    case 'propose':
      return engine.propose(...question.args);
    case 'findDenied':
      return findDenied(...question.args);
  }
}

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
