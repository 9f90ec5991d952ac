/** Files of the repositories that tasks work in: real modules with real tests, and enough of them to fill a window. */
import { createRandom } from '../random.ts';

/** `count` modules of about 6 kB, each with a version that a task may raise. */
export function modules(count: number, seed = 1): Record<string, string> {
  const random = createRandom(seed);
  return Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => {
      const name = moduleName(index);
      const lines = Array.from({ length: 70 }, (_line, at) => {
        const [a, b] = [random.between(2, 999), random.between(2, 999)];
        return `/** Step ${at} of ${name}. */\nexport const step${at} = (value) => (value * ${a} + ${b}) % 65521;`;
      });
      return [`src/${name}.js`, `export const version = 1;\n${lines.join('\n')}\n`];
    }),
  );
}

export function moduleName(index: number): string {
  return `part${String(index).padStart(2, '0')}`;
}

export const packageJson = JSON.stringify({ name: 'task', private: true, type: 'module' });
