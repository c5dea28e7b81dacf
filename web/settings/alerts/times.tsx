import { NativeSelect, Select, type NativeSelectProps, type SelectProps } from '@mantine/core'

const hourChoices = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))

/** Zones that browsers list by a former name alone. */
const renamed = ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Ho_Chi_Minh', 'Asia/Yangon', 'Europe/Kyiv', 'America/Nuuk']

export const timeZones = ['UTC', ...new Set([...Intl.supportedValuesOf('timeZone'), ...renamed].toSorted())].filter(
  (name, at) => at === 0 || name !== 'UTC',
)

/** A full hour of a day. */
export const HourField = (input: NativeSelectProps) => <NativeSelect data={hourChoices} {...input} />

export const ZoneField = (input: SelectProps) => (
  <Select label="Time zone" data={timeZones} searchable allowDeselect={false} limit={100} {...input} />
)
