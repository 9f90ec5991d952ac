/** Entry point of the thread that writes and searches the index. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer } from '../../threadClient.ts';
import { Engine } from './Engine.ts';
import type { EngineRequest } from './EngineThread.ts';

/** Maximum wait in milliseconds; other processes write no longer than one batch. */
const busyMs = 5000;

const engine = new Engine({ dataRoot: String(workerData.dataRoot), busyMs });
const running = new Map<number, AbortController>();

parentPort?.on('message', async (request: EngineRequest) => {
  const { id } = request;
  if (request.type === 'cancel') return running.get(id)?.abort();
  const controller = new AbortController();
  running.set(id, controller);
  try {
    answer({ id, type: 'done', result: await run(request, controller.signal) });
  } catch (error) {
    answer({ id, type: 'failed', message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
});

function run(request: Exclude<EngineRequest, { type: 'cancel' }>, signal: AbortSignal): Promise<unknown> {
  switch (request.type) {
    case 'refresh':
      return engine.refresh(request.options, () => answer({ id: request.id, type: 'changed' }), signal);
    case 'search':
      return engine.search(request.request, signal);
    case 'forget':
      return engine.forget(request.project, request.session, signal);
    case 'list':
      return engine.list(request.query);
    case 'find':
      return engine.find(request.prefix, request.projects);
  }
}

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
