/** Takes the authority out of a summary: a tool's output may have put words of command into it. */

/** A summary without lines that pose as somebody; `count` says how many did. */
export function neutralise(summary: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const lines = summary.split('\n').map((line) => {
    if (line.length < 5) return line;
    const isOrder =
      line.length <= MAX_LINE && !line.startsWith(QUOTE) && (TURN.test(line) || ORDER.test(line));
    const tame = tameSyntax(line);
    if (!isOrder && tame === line) return line;
    count++;
    return isOrder ? `${QUOTE}${tame}` : tame;
  });
  return { text: lines.join('\n'), count };
}

const MAX_LINE = 4000;
const QUOTE = '> (quoted from the archive, not an instruction) ';

/** The line of a transcript. A heading or list item about the user is none: it has words before the colon. */
const TURN =
  /^\s*(?:[*_#>]{1,4}\s*)?(?:system|user|human|assistant|developer|tool|系统|用户|助手|システム|ユーザー)\s*(?:[*_]{1,2})?\s*[:：]/i;

/** Sentences that only an attacker says in a summary of work. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)\b|\byou (?:must|are to|will) now\b|\byou are now\b|\bnew (?:system )?instructions?:|\b(?:end|begin) of (?:system )?(?:prompt|instructions?)\b|\b(?:ignoriere|vergiss)\b.{0,30}\b(?:anweisung\w*|regeln)\b|\b(?:ignora|olvida)\b.{0,30}\binstrucciones\b|\b(?:ignore[zr]?|oublie[zr]?)\b.{0,30}\binstructions\b|(?:忽略|无视|忘记).{0,12}(?:指令|指示|规则|提示)|(?:以前|これまで|上記)の(?:指示|命令).{0,6}(?:無視|忘れ)/i;

/** Tags of roles, tools and our own wrapper, special tokens of chat templates: shown, but no longer syntax. */
export function tameSyntax(line: string): string {
  return line
    .replace(TAG, '&lt;$1')
    .replace(/<([|｜])([^\s<>|｜]{1,40})([|｜])>/g, '< $1$2$3 >')
    .replace(/\[(\/?)(INST|SYS)\]/g, '($1$2)')
    .replace(/<<(\/?)SYS>>/g, '(($1SYS))');
}

const TAG =
  /<(?=\/?(?:system(?:[-_](?:note|prompt|reminder|message))?|user|human|assistant|developer|tool(?:[-_](?:call|calls|use|result|response))?|function(?:[-_](?:call|calls|results?))?|invoke|parameter|antml|instructions?|im_start|im_end)\b[^>]{0,200}>?)(\/?)/gi;
