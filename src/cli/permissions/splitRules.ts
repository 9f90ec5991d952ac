/** Splits `Edit,Bash(git log, x) Read` at commas and white space outside parentheses. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,\s]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].map((one) => one.trim()).filter((one) => one !== '');
}
