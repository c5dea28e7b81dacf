/** Writes that make more than two trips to the database, and no more than so many. */
export const moreToWrite = new Map([
  // A try is counted before the password, or the sender of a form, is looked at.
  ['POST /password_reset/', 3],
  ['POST /users/profile/chpwd', 5],
  ['POST /users/profile/check_password', 3],
  ['POST /users/profile/email', 3],
  // Refused where the second factor is off: then the try is given back alone.
  ['POST /users/profile/recovery-codes', 4],
  ['POST /api/public/trial', 3],
  ['POST /api/alerts/newsletter', 4],
  // Its number is handed out first.
  ['POST /users/addorg', 3],
  // They send to a receiver, and write down how it answered.
  ['POST /api/alerts/channels/:channel/test', 3],
  ['POST /api/alerts/email/test', 4],
  ['POST /api/alerts/routes/:route/sample', 4],
  ['POST /api/alerts/routes/:route/test', 3],
  // As a page of a vulnerability that an inventory runs, after the alert that names it.
  ['POST /api/alerts/routes/preview', 3],
  // They gather what they tell in steps: the newest alert, its period, its readers.
  ['POST /api/reports/:schedule/send', 9],
  ['POST /api/alerts/newsletter/sample', 8],
  // Vulnerabilities, inventories, feeds.
  ['POST /api/vulns/refresh_scores', 4],
  ['POST /api/vulns/refresh_vulnerable_versions', 4],
  ['POST /api/vulns/add', 4],
  ['POST /api/vulns/edit', 6],
  ['POST /api/vulns/:id/export/email', 3],
  ['POST /api/data/submit', 9],
  ['POST /api/monitor/removed/:key/restore', 4],
  ['PUT /api/inventories/:name', 5],
  ['PUT /api/inventories/:name/vex', 4],
])
