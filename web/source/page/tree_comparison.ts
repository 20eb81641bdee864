/** The parser's tree of the words of a file beside the file's: what differs lights up, and scores are told. */

import type { DepTree, TreeWord } from "../tree/index.ts";
import { contradiction, type Heads } from "./contradictions.ts";
import { conlluFile } from "./conllu_files.ts";
import type { ShownPart } from "./file_annotations.ts";
import { withChanges } from "./decisions.ts";
import { decide, decisionsOf } from "./decisions_field.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import type { Parse } from "./parsed_words.ts";
import type { SlicedFile } from "./sliced_file.ts";
import { agreementOf, NONE, scoresTold, sumOf, type Agreement } from "./tree_agreement.ts";
import { text } from "./texts.ts";

export class Comparison {
  private readonly details = part<HTMLDetailsElement>("compare");
  private readonly tree = part<DepTree>("tree");
  private readonly other = part<DepTree>("compared-tree");
  /** Whose parse is waited for, so that an older one is not shown. */
  private asked = 0;
  /** What is measured now; another one each time. */
  private measured: { readonly sliced: SlicedFile } | null = null;
  private next: NextArc | null = null;

  constructor(
    private readonly page: Page,
    private now: CurrentSentence | null,
  ) {
    const show = () => void this.show();
    page.current.listen((now) => {
      this.now = now;
      show();
    });
    page.source.changed.listen(show);
    page.fileChanged.listen(() => {
      const { shown } = page.parts.annotations;
      if (this.measured && this.measured.sliced !== shown?.sliced) this.endMeasuring();
      show();
    });
    this.details.ontoggle = show;
    part("take-arc").onclick = () => this.takeNext();
    part("measure-file").onclick = () => void this.turnMeasuring();
    show();
  }

  private async show(): Promise<void> {
    const asked = ++this.asked;
    const isOpen = this.details.open && !this.details.hidden;
    const { words } = this.tree.analysis;
    if (!isOpen || !words.length || this.page.source.isParsers) return this.light([]);
    const parse = await this.page.parser.of(words.map(({ form }) => form));
    if (asked !== this.asked) return;
    this.other.analysis = { words: parse ?? [], stable_upto: parse?.length ?? 0 };
    this.tell(parse);
  }

  private tell(parse: Parse): void {
    const agreement = parse ? agreementOf(this.tree.analysis.words, parse) : NONE;
    this.light(agreement.differing);
    this.next = parse && nextArc(this.tree.analysis.words, parse, agreement);
    part("take-arc").hidden = this.next === null;
    part("take-arc").textContent = this.next && nextTold(this.next, parse!);
    part("compared-told").textContent = parse ? toldOf(agreement, parse) : text("compare.none");
  }

  /** Decides as the parser has it. */
  private takeNext(): void {
    const { editor, fixing, source } = this.page;
    const shown = this.now && source.of(this.now)?.tree;
    if (!shown || !this.next) return;
    const { number, head, label } = this.next;
    decide(editor, withChanges(decisionsOf(editor.state), shown, new Map([[number, { head, label }]])));
    fixing.look();
  }

  private light(numbers: readonly number[]): void {
    for (const tree of [this.tree, this.other]) tree.differing = numbers;
  }

  // --- the whole file -----------------------------------------------------------------------------------

  private async turnMeasuring(): Promise<void> {
    const { shown } = this.page.parts.annotations;
    if (this.measured || !shown) return this.endMeasuring();
    part("measure-file").textContent = text("replay.stop");
    const measured = (this.measured = { sliced: shown.sliced });
    await this.measure(shown, () => this.measured === measured);
    if (this.measured === measured) this.endMeasuring();
  }

  private endMeasuring(): void {
    this.measured = null;
    part("measure-file").textContent = text("compare.measure");
  }

  private async measure(shown: ShownPart, goesOn: () => boolean): Promise<void> {
    const { sliced } = shown;
    const rewritten = this.page.parts.rewritten(shown);
    let [sum, count] = [NONE, 0];
    for (let number = 0; ; number++) {
      const found = await sliced.part(number);
      if (!found) return;
      const contents = rewritten.get(number) ?? (await sliced.textOf(found));
      for (const { words } of conlluFile(sliced.name, contents, found.line).sentences) {
        const parse = await this.page.parser.of(words.map(({ form }) => form));
        if (!goesOn()) return;
        if (!parse) continue;
        sum = sumOf(sum, agreementOf(words, parse));
        count++;
        part("measured-told").textContent = text("compare.measured", {
          scores: scoresTold(sum),
          count,
          all: sliced.count,
        });
      }
    }
  }
}

/** The first arc that differs and can be made as the parser has it, and how many arcs are then the same. */
interface NextArc {
  readonly number: number;
  readonly head: number;
  readonly label: string;
  readonly attained: number;
  readonly words: number;
}

function nextArc(words: readonly TreeWord[], parse: NonNullable<Parse>, agreement: Agreement): NextArc | null {
  const heads: Heads = new Map(
    words.flatMap(({ head }, index): [number, number][] => (typeof head === "number" ? [[index + 1, head]] : [])),
  );
  for (const number of agreement.differing) {
    const { head, label } = parse[number - 1]!;
    if (typeof head !== "number" || label === null || contradiction(words, heads, number, head)) continue;
    return { number, head, label, attained: agreement.arcs + 1, words: agreement.words };
  }
  return null;
}

function nextTold({ number, head, label, attained, words }: NextArc, parse: NonNullable<Parse>): string {
  const about = { form: parse[number - 1]!.form, label, attained, words };
  if (!head) return text("compare.take.root", about);
  return text("compare.take", { ...about, head: parse[head - 1]!.form });
}

function toldOf(agreement: Agreement, parse: NonNullable<Parse>): string {
  const forms = agreement.differing.map((number) => parse[number - 1]!.form);
  const differing = forms.length ? text("compare.differing", { forms: forms.join(", ") }) : text("compare.same");
  return `${differing} ${scoresTold(agreement)}.`;
}
