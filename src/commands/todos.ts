import type { Todo } from '../protocol/entries/fields.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import { hanging, heading, type Page, type PageLine, type PageSpan, pageLine } from './pages/page.ts';
import type { Command } from './types.ts';

/** Prints the model's todo list in full. */
export const todos: Command = {
  name: 'todos',
  aliases: ['todo'],
  description: 'show the todo list',
  run: (_args, { agent }) => {
    const list = agent.state().todos;
    return list.length === 0
      ? { type: 'notice', text: 'No todo list yet. The model makes one for longer work.' }
      : { type: 'page', page: todosPage(list) };
  },
};

function todosPage(list: readonly Todo[]): Page {
  const states = [
    ['completed', 'done'],
    ['in_progress', 'in progress'],
    ['pending', 'open'],
  ] as const;
  const counts = states.flatMap(([state, word]) => {
    const many = list.filter(({ status }) => status === state).length;
    return many === 0 ? [] : [`${many} ${word}`];
  });
  return () => [heading(`Todo list: ${counts.join(', ')}`), ...list.map(todoLine)];
}

function todoLine({ content, status }: Todo): PageLine {
  const text = visibleLine(content, MAX_CHARACTERS);
  if (status === 'completed') return line({ text: '☒', role: 'success' }, { text, role: 'dim' });
  if (status === 'in_progress') return line({ text: '▣', role: 'accent' }, { text, role: 'strong' });
  return line({ text: '☐', role: 'dim' }, { text });
}

const line = (mark: PageSpan, text: PageSpan): PageLine => hanging(pageLine('  ', mark, ' ', text), 4);

/** A todo is a line; longer text is cut. */
const MAX_CHARACTERS = 1000;
