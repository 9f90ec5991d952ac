// Words and clauses from which text of each language is put together; written for this bench.
const list = (text) => text.trim().split(/\s+/);

export const english =
  list(`the session keeps every entry that was written so a reader can always find what happened
before a change and after it because nothing is taken away from the file which grows only at its end when somebody
asks for an older part of the conversation we look it up by number and show the original words instead of a summary
this is slower than guessing but much more honest people notice quickly if a tool forgets their wishes or repeats
questions already answered yesterday therefore each decision has a reason beside it and may be undone later without
losing anything important during heavy work several processes run together while one screen stays calm readable`);
export const ukrainian =
  list(`кожен запис сесії зберігається на диску щоб читач завжди міг знайти те що сталося раніше
коли користувач питає про старішу частину розмови програма знаходить її за номером і показує справжні слова замість
короткого переказу це повільніше ніж здогадка але набагато чесніше люди швидко помічають якщо інструмент забуває їхні
побажання або повторює запитання на які вже відповіли вчора тому біля кожного рішення стоїть причина`);
export const arabic =
  list(`كل سطر في السجل يحفظ على القرص حتى يستطيع القارئ أن يجد ما حدث قبل التغيير وبعده عندما يسأل
المستخدم عن جزء قديم من المحادثة يبحث البرنامج عنه برقم ويعرض الكلمات الأصلية بدلا من الملخص هذا أبطأ من التخمين لكنه
أكثر صدقا يلاحظ الناس بسرعة إذا نسيت الأداة رغباتهم أو كررت أسئلة أجيب عنها أمس لذلك يوجد سبب بجانب كل قرار`);
export const hindi =
  list(`हर प्रविष्टि डिस्क पर सुरक्षित रहती है ताकि पाठक हमेशा देख सके कि बदलाव से पहले और बाद में क्या हुआ जब
उपयोगकर्ता बातचीत का पुराना भाग माँगता है तब कार्यक्रम उसे संख्या से खोजता है और सारांश के बजाय मूल शब्द दिखाता है यह अनुमान से
धीमा है लेकिन अधिक ईमानदार लोग जल्दी पहचान लेते हैं अगर कोई औज़ार उनकी इच्छा भूल जाए या वही प्रश्न दोहराए`);
export const korean =
  list(`모든 기록은 디스크에 남아 있어서 독자는 변경 전과 후에 무슨 일이 있었는지 언제나 찾을 수 있다 사용자가 대화의
오래된 부분을 물으면 프로그램은 번호로 찾아 요약 대신 원래의 말을 보여 준다 이것은 추측보다 느리지만 훨씬 정직하다 도구가 바람을
잊거나 어제 이미 대답한 질문을 되풀이하면 사람들은 금방 알아차린다 그래서 결정마다 이유가 옆에 적혀 있다`);
export const chinese =
  list(`每一条记录都保存在磁盘上 读者总能找到修改之前和之后发生的事情 用户询问较早的对话内容时 程序按编号查找原文
而不是给出摘要 这样做比猜测要慢 但是诚实得多 如果工具忘记了用户的要求 或者重复昨天已经回答过的问题 人们很快就会发现 因此每个决定旁边
都写着理由 以后可以撤销 不会丢失重要的东西 测试在临时目录里运行 结果写入日志 错误信息说明发生了什么 以及下一步应该怎么做 请先阅读文档
函数返回一个只读的列表 窗口快满的时候会压缩旧的消息`);
export const japanese =
  list(`すべての記録はディスクに保存されるので 読者は変更の前と後に何が起きたかをいつでも確認できます ユーザーが
古い会話の部分を尋ねると プログラムは番号で検索し 要約ではなく元の言葉を表示します これは推測より遅いですが ずっと正直です ツールが
希望を忘れたり 昨日すでに答えた質問を繰り返したりすると 人はすぐに気づきます そのため決定ごとに理由が書かれています テストは一時
フォルダーで実行され エラーメッセージは次に何をすべきかを説明します`);
export const thai =
  list(`ทุกบันทึกถูกเก็บไว้ในดิสก์ ผู้อ่านจึงค้นหาได้เสมอว่าเกิดอะไรขึ้นก่อนและหลังการเปลี่ยนแปลง เมื่อผู้ใช้ถามถึงบทสนทนาเก่า
โปรแกรมจะค้นหาด้วยหมายเลขและแสดงคำเดิมแทนบทสรุป วิธีนี้ช้ากว่าการเดา แต่ซื่อสัตย์กว่ามาก ผู้คนสังเกตได้เร็ว ถ้าเครื่องมือลืมความต้องการ
หรือถามซ้ำคำถามที่ตอบไปแล้วเมื่อวาน ดังนั้นทุกการตัดสินใจจึงมีเหตุผลเขียนไว้ข้างๆ`);
export const emoji = list(`😀 😂 🤖 👍 🏽 🚀 ✅ ❌ 🔥 🎉 👩‍💻 🏳️‍🌈 👨‍👩‍👧‍👦 🇺🇦 🇯🇵 🐛 📦 🔧 ⚠️ 💾 🧪 🌍`);
export const names =
  list(`session entry turn step reply tool call result window budget compaction transcript event port
agent model context storage cache index request handler value error option count token path file reader writer parse
format render update create remove find merge list map queue state config limit buffer`);
