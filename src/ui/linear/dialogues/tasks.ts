import type { Agent } from '../../../agent/types.ts';
import { plainText } from '../../../commands/pages/page.ts';
import { tasksPage } from '../../../commands/pages/tasksPage.ts';
import { reveal, sanitize } from '../../print/sanitize.ts';
import { outputWords } from '../toolWords.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** Lines of a task's output that are told. */
const OUTPUT_LINES = 40;

/** What runs in the background: its output, and stopping it. Undefined where there is nothing to ask about. */
export function tasks(agent: Agent, { controller, tell }: DialoguePorts): Dialogue | undefined {
  const close = (): void => controller.closeDialog();
  const lines = sanitize(reveal(plainText(tasksPage(agent.state().tasks)))).split('\n');
  if (agent.state().tasks.length === 0) {
    tell(...lines);
    close();
    return undefined;
  }
  return {
    tell: [
      ...lines.map((line) => line.trim().replace(/\s{2,}/g, ', ')),
      'o and the name of a task tells its output, s stops it, as in: s b1. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') {
        close();
        return undefined;
      }
      const [, deed, id = ''] = /^(o|s)\w*\s+(b?\d+)$/i.exec(text) ?? [];
      const name = /^\d/.test(id) ? `b${id}` : id;
      const task = agent.state().tasks.find((one) => one.id === name);
      if (deed === undefined)
        return 'Write o or s and the name of a task, as in: o b1. An empty line cancels.';
      if (task === undefined) return `There is no task ${name}.`;
      if (deed.toLowerCase() === 'o')
        tell(
          ...outputWords(agent.taskOutput(name)?.text ?? '', OUTPUT_LINES, 'end'),
          `End of the output of ${name}.`,
        );
      else agent.submit({ type: 'stop_task', id: name });
      return '';
    },
    cancel: close,
  };
}
