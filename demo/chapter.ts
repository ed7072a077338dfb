import type { Stage } from "./stage.ts";

/** One chapter of the demo. A further one is a file in chapters/ and a line in main.ts. */
export interface Chapter {
  readonly title: string;
  /** Makes it happen, tells it, and checks every step. @throws StepFailed */
  play(stage: Stage): Promise<void>;
}
