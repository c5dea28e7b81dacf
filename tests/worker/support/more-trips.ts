/** Writes that make more than two trips to the database, and no more than so many. */
export const moreToWrite = new Map([
  // Its number is handed out for good before the entry of the log, whose hash names it, can be written.
  ['POST /users/addorg', 3],
  // The caller, the test, counted before it is sent, and how the receiver answered, where one is set up; a mail names the organization.
  ['POST /api/alerts/channels/:channel/test', 3],
  ['POST /api/alerts/routes/:route/test', 3],
  ['POST /api/alerts/email/test', 4],
  // And before it the alert that it tells of, and the page of its vulnerability.
  ['POST /api/alerts/routes/:route/sample', 4],
  // After the page of a vulnerability that an inventory runs, which takes two; the preview asks first for the alert that names it.
  ['POST /api/vulns/:id/export/email', 3],
  ['POST /api/alerts/routes/preview', 3],
  // The report as it is shown, which takes three, its readers beside it; then the mails.
  ['POST /api/reports/:schedule/send', 4],
  // Where the week begins and ends, what happened between, the mail.
  ['POST /api/alerts/newsletter/sample', 3],
  // Its name by its number, then what it is merged with; where it is watched from then on, or no longer, two more.
  ['POST /api/vulns/edit', 5],
  ['POST /api/data/submit', 3],
  // The removed list is read, imported as any list is (large ones in parts, a batch each), and only then forgotten.
  ['POST /api/monitor/removed/:key/restore', 4],
  // A document is charged to who calls before it is read, and read once. Then what is stored of it, the names of what is new, and for
  // each kind of known names what is said of them, a trip more: that much is in memory at once. Where nothing is new it takes three.
  ['PUT /api/inventories/:name', 4],
  // And is not read for an inventory that is not there.
  ['PUT /api/inventories/:name/vex', 4],
])
