import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

type Count = { passed: number; failed: number; skipped: number }

/** Prints `N passed, N failed, N skipped` as the very last line, and no green one unless every test ran to its end. */
export class ClosingLine implements Reporter {
  // A run that ends before it was counted has crashed.
  private count: Count = { passed: 0, failed: 1, skipped: 0 }

  onInit() {
    process.on('exit', () => {
      const { passed, failed, skipped } = this.count
      if (failed) process.exitCode ||= 1
      writeSync(1, `${passed} passed, ${failed} failed, ${skipped} skipped\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: string) {
    const count: Count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) countModule(module, count)
    const isEmpty = count.passed + count.failed === 0
    if (isEmpty || (reason !== 'passed' && !count.failed)) count.failed++
    this.count = count
  }
}

function countModule(module: TestModule, count: Count) {
  // A file or a describe fails by itself when it cannot be loaded or a hook of it throws.
  count.failed += module.errors().length
  for (const suite of module.children.allSuites()) count.failed += suite.errors().length
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    count[state === 'pending' ? 'failed' : state]++
  }
}
