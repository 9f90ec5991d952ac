/**
 * The words by which a sentence says what must hold on, by language. Reports ("it never ends", "das geht nicht")
 * use the same words: a cue counts where a clause begins, or behind a word of obligation.
 */

/** 3: forbidden or absolute · 2: required or limited · 1: a wish or a figure. */
export type Strength = 1 | 2 | 3;

export interface CueTable {
  /** Cheap: most sentences fail it. */
  readonly hint: RegExp;
  readonly cues: readonly (readonly [strength: Strength, pattern: RegExp])[];
  /** What looks like a constraint and is a report, a question or a turn of speech. */
  readonly not: RegExp;
}

/** Where a clause begins: the sentence, a comma, a dash, or one of the small words in between. */
const START = String.raw`(?:^|[,;:(—–]\s*|\s-\s|\b(?:and|but|so|please|also|then|just|or|however|though|if you do|important|note|remember|again|ok|okay|yes|no)[,:]?\s+)`;
const english = (tail: string): RegExp => new RegExp(`${START}(?:${tail})`, 'i');

const ENGLISH: CueTable = {
  hint: /\b(?:don['’]?t|do not|not|never|always|must|mustn['’]t|only|use|keep|without|avoid|no|shall|should|shouldn['’]t|can['’]?t|cannot|may|ensure|make sure|prefer|stick|leave|preserve|respect|stay|limit|at most|at least|forbidden|off[- ]limits|hands off|from now on|under no|read-only|port|version|node|python|java|v?\d+\.\d+|need|needs|required?|has to|have to|refrain|no more than)\b/i,
  cues: [
    [
      3,
      english(
        String.raw`(?:do not|don['’]?t)(?!\s+(?:know|think|understand|remember|see|care|worry|mind|you)\b)|never|under no circumstances|by no means|hands off|refrain from`,
      ),
    ],
    [3, /\b(?:must|should|may|can|shall|will|to|you|we|please)\s+(?:never|always)\b/i],
    [
      3,
      /\b(?:must(?:\s+not|n['’]t)|may not|shall not|(?:you|we|one|anyone|nobody|it|they|this|that)\s+(?:can['’]?t|cannot)\s+(?:use|change|touch|add|remove|modify|break|edit|delete|install|rename|push|commit|depend|rely))\b/i,
    ],
    [
      3,
      /\b(?:is|are)\s+(?:strictly\s+)?(?:forbidden|prohibited|off[- ]limits|not allowed|not permitted|read-only|untouchable)\b/i,
    ],
    [3, english(String.raw`always\s+[a-z]`)],
    [
      2,
      /(?<!\b(?:he|she|they|there|i) )\bmust\b(?!\s+(?:have\s+(?:\w+(?:ed|en)|had|gone|made|left|lost)\b|be\s+(?:a|an|the|because|something|some)\b|say|admit))/i,
    ],
    [2, /\b(?:has|have|needs?) to (?:be|stay|remain|work|support|run|pass|compile|keep)\b/i],
    [2, /\bshould(?:\s+not|n['’]t|\s+(?:only|stay|remain|keep|continue))\b/i],
    [2, english(String.raw`only\s+(?!one|a\b|the\b|then|if|when|after|because|\d)[a-z]+`)],
    [
      2,
      /\b(?:use|using|edit|touch|change|modify|run|write|read|support|allow|target|import|install|call|add|work|stick)\s+only\b/i,
    ],
    [
      2,
      english(
        String.raw`(?:keep|leave|preserve|retain|maintain)\s+(?!going|trying|working|it up|on\b|in mind|me\b|an? (?:comment|note|message|eye|review)\b)\S+`,
      ),
    ],
    [
      2,
      english(
        String.raw`(?:avoid|ensure|make sure|be sure|stick (?:to|with)|stay (?:with|within|on|in|under|below)|limit|restrict|respect|adhere to|from now on|for the rest of)\b`,
      ),
    ],
    [
      2,
      /\bwithout\s+(?:\w+ing|any|new|additional|extra|external|a new|an? (?:extra|external|additional))\b/i,
    ],
    [
      2,
      english(
        String.raw`no\s+(?!problem|worries|idea|need|longer|such|one\b|matter|way|doubt|wonder|rush|thanks|luck|error|errors\b|output|result|results\b|change\b|difference|response)(?:(?:new|more|further|external|other|extra|additional)\s+)?[a-z-]{3,}`,
      ),
    ],
    [
      2,
      /\b(?:at most|at least|no more than|no less than|fewer than|up to|a maximum of|a minimum of|max\.?|min\.?)\s+\d/i,
    ],
    [1, english(String.raw`(?:use|prefer|target|follow)\s+(?!the debugger|it\b|this\b|that\b)\S+`)],
    [1, /\bport\s*(?:is|=|:|should be|number)?\s*\d{2,5}\b/i],
    [
      1,
      /\b(?:node(?:\.js)?|python|java|go|typescript|react|php|ruby|rust|postgres(?:ql)?|mysql|version|release)\s+v?\d+(?:\.\d+)*\b/i,
    ],
  ],
  not: /^(?:why|what|when|where|who|which|how|whose|do|does|did|is|are|was|were|has|have|should|must|don['’]t you|can['’]t you|isn['’]t|aren['’]t|won['’]t)\b[^.]*\?|^no \p{L}+ (?:fails?|works?|pass|passes|found|left|matters?|any ?more|el|la|los|las|nada|en|con|más)(?!\p{L})|^(?:it|that|this|which) (?:returns|prints|shows|takes|gives|says)(?!\p{L})|^no (?:funcionan?|sé|entiendo|tengo|puedo|hay|es|está|me|se|lo|la)(?!\p{L})|\b(?:never ?mind|no problem|not only|if only|the only|i only|it only)\b(?!.*\b(?:must|never|don['’]t|do not)\b)/iu,
};

const GERMAN: CueTable = {
  hint: /\b(?:nicht|nie|niemals|immer|muss|müssen|musst|müsst|darf|dürfen|darfst|nur|kein\w*|ohne|verwende\w*|benutze?\w*|nutze?|nimm|behalte\w*|vermeide\w*|stets|achte\w*|soll\w*|lass|lasse|unbedingt|verboten|keinesfalls|höchstens|mindestens|auf keinen|bleib\w*)\b/i,
  cues: [
    [
      3,
      /(?:^|[,;:–—]\s*|\b(?:bitte|und|aber|also|dann|oder)\s+)(?:nicht(?! so\b)|nie|niemals|keinesfalls|auf keinen fall|unter keinen umständen|immer(?! (?:noch|wieder|mehr)\b)|stets|kein(?:e|en|er|es)?)\s+\S+/i,
    ],
    [
      3,
      /\b(?:darf|dürfen|darfst|dürft|soll(?:st|en|te|ten)?)\b[^.]{0,80}\b(?:nicht|nie|niemals|kein\w*|nur|keinesfalls)\b/i,
    ],
    [3, /\b(?:verboten|untersagt|tabu|auf keinen fall|unter keinen umständen|keinesfalls|niemals)\b/i],
    [
      3,
      /(?:^|[,;:–—]\s*|\b(?:und|aber|also)\s+)(?:bitte\s+)?(?:ändere?|fass|fasse|lösche?|entferne?|verwende|benutze?|nutze?|schreibe?|lege?|mache?|mach|füge?|installiere?|committe?|pushe?|rühre?|rühr|starte|führe|erstelle?|überschreibe?|verändere?|verschiebe?|nimm|lass|lasse|gib|baue?)\b[^.]{0,120}\b(?:nicht|nie|niemals|kein\w*)\b/i,
    ],
    [2, /\b(?:muss|müssen|musst|müsst|müsste)\b/i],
    [2, /\b(?:ohne)\b[^.]{0,60}\bzu\s+\p{L}+/iu],
    [
      2,
      /(?:^|[,;:–—]\s*|\b(?:bitte|und|aber|also)\s+)(?:nur(?! (?:ein|eine|einer|noch|so)\b)|ausschließlich|höchstens|mindestens|maximal)\s+\S+/i,
    ],
    [
      2,
      /(?:^|[,;:–—]\s*|\b(?:bitte|und|aber|also)\s+)(?:vermeide|behalte|achte (?:darauf|auf)|stell(?:e)? sicher|bleib(?:e)? bei|lass(?:e)?|halte)\b/i,
    ],
    [1, /(?:^|[,;:–—]\s*|\b(?:bitte|und|aber|also)\s+)(?:verwende|benutze?|nutze?|nimm)\s+\S+/i],
  ],
  not: /\?\s*$|\bkein(?:e|en)?\s+(?:ahnung|sorge|problem|thema|fehler|idee|zeit)\b|^nicht (?:schlecht|wahr|schlimm|wirklich)\b|^(?:ich|er|sie|es|das|wir|man)\s+(?:weiß|verstehe|sehe|finde|kann|konnte|habe?|geht|funktioniert|läuft|muss(?:te)? (?:wohl|leider))\b|^ich muss\b|\bdarf doch\b/i,
};

const SPANISH: CueTable = {
  hint: /(?<!\p{L})(?:no|nunca|jamás|siempre|deb[ea]s?n?|debe|deben|hay que|tienes? que|solo|sólo|solamente|únicamente|sin|usa|utiliza|mantén|conserva|evita|asegúrate|prohibido|respeta)(?!\p{L})/iu,
  cues: [
    [3, /(?:^|[,;:—¡]\s*|(?<!\p{L})(?:y|pero|por favor|o|además)\s*,?\s+)(?:nunca|jamás|siempre)\s+\p{L}+/iu],
    [
      3,
      /(?:^|[,;:—¡]\s*|(?<!\p{L})(?:y|pero|por favor|o|además)\s*,?\s+)no\s+(?:(?:l[aeo]s?|me|te|se)\s+)?(?!tienes|sabes|eres|estás|ves|crees|quieres|es\b|funcionas|hay)(?:\p{L}+(?:es|as)|toque|use|cambie|borre|modifique|haga|elimine|añada|instale|escriba|rompa|toquen|usen)(?!\p{L})/iu,
    ],
    [
      3,
      /(?<!\p{L})(?:está prohibido|prohibido|no (?:se )?(?:debe|deben|debes|puede|pueden|puedes)\s+\p{L}+r|bajo ninguna circunstancia)(?!\p{L})/iu,
    ],
    [2, /(?<!\p{L})(?:deben?|debes|hay que|tienes? que|es obligatorio|obligatoriamente)(?!\p{L})/iu],
    [
      2,
      /(?:^|[,;:—¡]\s*|(?<!\p{L})(?:y|pero|por favor)\s*,?\s+)(?:solo|sólo|solamente|únicamente)\s+\p{L}+/iu,
    ],
    [2, /(?<!\p{L})sin\s+\p{L}+(?:ar|er|ir|arl[ao]s?|erl[ao]s?)(?!\p{L})/iu],
    [
      2,
      /(?:^|[,;:—¡]\s*|(?<!\p{L})(?:y|pero|por favor)\s*,?\s+)(?:mantén|mantenga|conserva|evita|evite|asegúrate|asegúrese|respeta)(?!\p{L})/iu,
    ],
    [1, /(?:^|[,;:—¡]\s*|(?<!\p{L})(?:y|pero|por favor)\s*,?\s+)(?:usa|use|utiliza|utilice)\s+\p{L}+/iu],
  ],
  not: /[?]\s*$|^¿|(?<!\p{L})(?:no (?:sé|entiendo|funciona|pasa|importa|te preocupes)|siempre (?:falla|da|sale|se))(?!\p{L})/iu,
};

const FRENCH: CueTable = {
  hint: /(?<!\p{L})(?:n['’e]|pas|jamais|toujours|faut|doit|doivent|devez|dois|uniquement|seulement|sans|utilise[zr]?|garde[zr]?|conserve[zr]?|évite[zr]?|assure|veille[zr]?|interdit|défense)/iu,
  cues: [
    [
      3,
      /(?:^|[,;:—]\s*|(?<!\p{L})(?:et|mais|surtout|merci de|alors|ou)\s*,?\s+)(?:ne\s+|n['’]\s?)\p{L}+\s*(?:-\p{L}+\s+)?(?:\p{L}+\s+)?(?:pas|jamais|plus|rien|aucune?|que)(?!\p{L})/iu,
    ],
    [
      3,
      /(?:^|[,;:—]\s*|(?<!\p{L})(?:et|mais)\s+)(?:surtout pas|pas de|jamais|toujours|aucune?|ne (?:pas|jamais|plus))\s+\S+/iu,
    ],
    [
      3,
      /(?<!\p{L})(?:(?:est|sont) interdite?s?|interdit de|défense de|il ne faut (?:pas|jamais)|ne (?:doit|doivent|dois|devez|peut|peuvent) (?:pas|jamais)|en aucun cas)(?!\p{L})/iu,
    ],
    [3, /(?:^|[,;:—]\s*|(?<!\p{L})et\s+)\p{L}+(?:e|ez|s)\s+toujours(?!\p{L})/iu],
    [2, /(?<!\p{L})(?:il faut|on doit|tu dois|vous devez|doit|doivent|obligatoire(?:ment)?)(?!\p{L})/iu],
    [2, /(?<!\p{L})sans\s+(?:(?:la|le|les|l['’]|y|en)\s*)?\p{L}+(?:er|ir|re)(?!\p{L})/iu],
    [2, /(?<!\p{L})(?:uniquement|seulement|exclusivement)(?!\p{L})/iu],
    [
      2,
      /(?:^|[,;:—]\s*|(?<!\p{L})(?:et|mais)\s+)(?:garde[zr]?|conserve[zr]?|évite[zr]?|assure-toi|assurez-vous|veille[zr]?|respecte[zr]?)(?!\p{L})/iu,
    ],
    [1, /(?:^|[,;:—]\s*|(?<!\p{L})(?:et|mais)\s+)utilise[zr]?\s+\S+/iu],
  ],
  not: /\?\s*$|(?<!\p{L})(?:je|ça|cela|il|elle|on) (?:ne |n['’])\p{L}+ pas(?!\p{L})|^pas de (?:souci|problème|panique)|^pas mal|^toujours (?:pas|rien|aussi)|faut voir/iu,
};

const RUSSIAN: CueTable = {
  hint: /(?<!\p{L})(?:не|никогда|всегда|нельзя|обязательно|только|без|запрещено|должн\p{L}*|используй\p{L}*|нужно|оставь\p{L}*)(?!\p{L})/iu,
  cues: [
    [3, /(?:^|[,;:—]\s*|(?<!\p{L})(?:и|но|пожалуйста)\s*,?\s+)не\s+\p{L}+(?:й|йте|и|ите|ь|ьте)(?!\p{L})/iu],
    [3, /(?<!\p{L})(?:никогда не|нельзя|запрещено|ни в коем случае|обязательно|не должн\p{L}+)(?!\p{L})/iu],
    [3, /(?:^|[,;:—]\s*)всегда\s+\p{L}+/iu],
    [2, /(?<!\p{L})(?:должен|должна|должно|должны)(?!\p{L})/iu],
    [2, /(?:^|[,;:—]\s*|(?<!\p{L})(?:и|но)\s+)только\s+\p{L}+/iu],
    [
      1,
      /(?:^|[,;:—]\s*|(?<!\p{L})(?:и|но|пожалуйста)\s*,?\s+)(?:используй|оставь|сохрани)(?:те)?(?!\p{L})/iu,
    ],
  ],
  not: /\?\s*$|не (?:работает|знаю|понимаю|волнуйся)/iu,
};

const CHINESE_START = String.raw`(?:^|[，,、：:（(]\s*|请|但|但是|并且|而且|也|千万|记得|记住|注意|以后|你|您|我们|绝对|同时)`;
const chinese = (tail: string): RegExp => new RegExp(`${CHINESE_START}(?:${tail})`, 'u');

const CHINESE: CueTable = {
  hint: /[别勿仅禁]|不[要得许准能可会用该]|必须|务必|永远|绝不|绝对|一律|始终|总是|一定|只[能许用改在]|只要|保[持留]|避免|无需|使用|[請务]|端口|版本|至少|最多|不超过|應|应[当该]|需要|都要|都得/u,
  cues: [
    [3, /禁止|严禁|不得|不许|不准|绝不|绝对不|切勿|请勿|永远不|千万[别不]|一律不|不允许|不可以|决不/u],
    [3, /(?<!要)不要(?![紧緊])/u],
    [3, chinese('别(?![人的处名说致墅])|不能|不可(?![能思])|永远|始终')],
    [3, /必须|務必|务必|必須|一定(?:要|得|不)|一律|只能|只许|只准|只允许/u],
    [
      2,
      chinese(
        '总是(?!报|失败|出|崩|卡|超时|返回|显示|提示)|只(?:用|改|修改|使用|在|需)|仅(?:限|用|能|使用|修改)|都[要得]|应[该当]|應該',
      ),
    ],
    [2, chinese('保持|保留|避免|不用|无需|不(?:使用|修改|改动|添加|引入|依赖)')],
    [2, /(?:至少|最多|不超过|不少于|不低于|不高于)\s*[\d一二三四五六七八九十百]/u],
    [1, chinese('(?:使用(?!方法|者|说明|量|率|情况)|采用|用(?![户法途意量处到了过例的不]))\\s*[\\p{L}\\d`]')],
    [1, /(?:端口|版本)(?:号)?(?:是|为|用|：|:|=)?\s*v?\d+/u],
  ],
  not: /[？?]\s*$|吗[。！]?$|^[他她]|要不要|是不是|能不能|为什么|为何|怎么(?!样都)|什么意思|没什么|不要紧|我不能|(?:程序|代码|系统|它|服务器|页面)不能/u,
};

const JAPANESE: CueTable = {
  hint: /ないで|ないこと|な(?:い|さ)|ては|では|禁止|必ず|絶対|常に|決して|だけ|のみ|使って|使用|維持|保っ|保持|避け|こと|べき|ポート|バージョン|以内|以上|以下|まで/u,
  cues: [
    [
      3,
      /(?:ないで(?!す)|ないこと|てはいけ|てはなら|ではいけ|ちゃだめ|てはだめ|てはダメ|禁止|厳禁|絶対に|決して|な(?:くて|け)れ?ば(?:なら|いけ)ない|べきではない|べきでない)/u,
    ],
    [3, /(?:^|[、，])?必ず/u],
    [
      2,
      /(?:常に|べきです|べきだ|べきである|(?:だけ|のみ)(?:を|に|で)?(?:使|変更|編集|修正|対応|許可|実行|触)|すること(?:[。！]|$)|維持して|保って|保持して|避けて|そのままに)/u,
    ],
    [1, /(?:を使って(?:ください|くれ|ほしい)|を使用して(?:ください|くれ)|でお願いします|を使うこと)/u],
    [1, /(?:ポート|バージョン)(?:は|番号は|を)?\s*v?\d+/u],
  ],
  not: /[？?]\s*$|(?:です|ます|でしょう|だろう)か[。]?$|なぜ|どうして|気にしないで|心配しないで/u,
};

const KOREAN: CueTable = {
  hint: /마|금지|반드시|절대|항상|만 |말고|유지|없이|해야|포트|버전/u,
  cues: [
    [3, /지\s?(?:마|말)|금지|절대|안\s?됩니다|안\s?돼/u],
    [3, /반드시|항상|꼭/u],
    [2, /해야|만\s?(?:사용|수정|변경|써)|말고|유지|없이/u],
    [1, /(?:을|를)?\s?(?:사용해|써)\s?(?:주세요|줘)/u],
  ],
  not: /[？?]\s*$|까요[.]?$|왜 |걱정하지/u,
};

/** Tables whose script or words a sentence may have; each `hint` decides by itself. */
export const LATIN_CUES: readonly CueTable[] = [ENGLISH, GERMAN, SPANISH, FRENCH];
export const OTHER_CUES: readonly (readonly [script: RegExp, table: CueTable])[] = [
  [/[\u3040-\u30ff]/u, JAPANESE],
  [/[\u4e00-\u9fff]/u, CHINESE],
  [/[\uac00-\ud7af]/u, KOREAN],
  [/[\u0400-\u04ff]/u, RUSSIAN],
];
