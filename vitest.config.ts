import { defineConfig } from "vitest/config";

const everyTest = { testTimeout: 60_000, hookTimeout: 60_000, pool: "forks" as const };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...everyTest,
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/kill/**", "test/pi-versions/**"],
        },
      },
      // Real Pi processes: two files at a time keep a 2-core machine responsive.
      { test: { ...everyTest, name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, maxWorkers: 2 } },
      {
        test: { ...everyTest, name: "kill", include: ["test/kill/**/*.test.ts"], testTimeout: 240_000, maxWorkers: 2 },
      },
      {
        test: {
          ...everyTest,
          name: "pi-versions",
          include: ["test/pi-versions/**/*.test.ts"],
          testTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
