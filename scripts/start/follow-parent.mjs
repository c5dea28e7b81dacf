// Preloaded into every child: a start script that was killed outright cannot stop its children, so they follow it.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(0, 'SIGKILL')
}, 200).unref()
