/** Both practices: they share so much that they are loaded together. */

export { StepPractice } from "./step_practice.ts";
export { WordPractice } from "./word_practice.ts";
