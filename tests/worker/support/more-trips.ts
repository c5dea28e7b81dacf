/** Writes that make more than two trips to the database, and no more than so many. */
export const moreToWrite = new Map([
  // Who calls, then a try, counted before the password is looked at, and only where they may call.
  ['POST /users/profile/chpwd', 3],
  ['POST /users/profile/check_password', 3],
  ['POST /users/profile/email', 3],
  ['POST /users/profile/recovery-codes', 3],
  // Its number is handed out first.
  ['POST /users/addorg', 3],
  // They send to a receiver, and write down how it answered.
  ['POST /api/alerts/channels/:channel/test', 3],
  ['POST /api/alerts/email/test', 4],
  ['POST /api/alerts/routes/:route/sample', 4],
  ['POST /api/alerts/routes/:route/test', 3],
  // As a page of a vulnerability that an inventory runs; the preview after the alert that names it.
  ['POST /api/vulns/:id/export/email', 3],
  ['POST /api/alerts/routes/preview', 3],
  // They gather what they tell in steps: the newest alert, its period, its readers.
  ['POST /api/reports/:schedule/send', 7],
  ['POST /api/alerts/newsletter/sample', 3],
  // Vulnerabilities, inventories, feeds.
  // What it is merged with, after its name is known; then, where that changes, whether it is watched.
  ['POST /api/vulns/edit', 5],
  ['POST /api/data/submit', 3],
  ['POST /api/monitor/removed/:key/restore', 4],
  // Names of new components, after what is stored of it; then what the known ones of each kind are compared with.
  ['PUT /api/inventories/:name', 4],
  ['PUT /api/inventories/:name/vex', 4],
])
