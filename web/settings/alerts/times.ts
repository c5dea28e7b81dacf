export const hourChoices = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))

/** Zones that browsers list by a former name alone. */
const renamed = ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Ho_Chi_Minh', 'Asia/Yangon', 'Europe/Kyiv', 'America/Nuuk']

export const timeZones = ['UTC', ...new Set([...Intl.supportedValuesOf('timeZone'), ...renamed].toSorted())].filter(
  (name, at) => at === 0 || name !== 'UTC',
)
