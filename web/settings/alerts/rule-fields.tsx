import { NativeSelect, NumberInput, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { oldRuleNames, type OrgSettings } from '../../../worker/alerts/settings/contract'
import { CvssThreshold, describeRule, ruleNames, ScoreThreshold } from '../../../worker/domain/alerts/alert-rules'
import type { AlertRule } from '../../../worker/domain/alerts/alert-rules'
import { epssMarks } from '../../../worker/domain/scores/epss'
import classes from './alerting.module.css'

/** As the screen lists them. */
const shownRules = [
  'new',
  'updated',
  'malicious',
  'exploitable',
  'kev',
  'fix',
  'due',
  'cra',
  'score',
  'cvss3',
  'cvss',
  'epss',
] as const satisfies AlertRule[]

const thresholds = {
  score: { label: 'Score from', max: 100, step: 1 },
  cvss: { label: 'CVSS v2 from', max: 10, step: 0.1 },
  cvss3: { label: 'CVSS v3 from', max: 10, step: 0.1 },
} as const
const isThreshold = (rule: AlertRule): rule is keyof typeof thresholds => rule in thresholds

/** A channel's rules. */
export type Rules = Pick<ChannelRow, (typeof oldRuleNames)[OldName]>
type OldName = keyof typeof oldRuleNames
type OldRules = Pick<OrgSettings, OldName>

const names = Object.entries(oldRuleNames) as [OldName, keyof Rules][]

// The type of Object.fromEntries does not keep the keys.
export const pickRules = (row: Rules) => Object.fromEntries(names.map(([, name]) => [name, row[name]])) as Rules
export const fromOldNames = (settings: OldRules) =>
  Object.fromEntries(names.map(([old, name]) => [name, settings[old]])) as Rules
export const toOldNames = (rules: Partial<Rules>) =>
  Object.fromEntries(names.flatMap(([old, name]) => (name in rules ? [[old, rules[name]]] : []))) as Partial<OldRules>

const switchFor = (rule: (typeof shownRules)[number]) => `on_${rule === 'updated' ? 'update' : rule}` as const

export const thresholdRules = {
  score_value: (value: unknown) => problem(ScoreThreshold, value),
  cvss_value: (value: unknown) => problem(CvssThreshold, value),
  cvss3_value: (value: unknown) => problem(CvssThreshold, value),
}

const problem = (schema: typeof ScoreThreshold, value: unknown) =>
  schema.safeParse(value).error?.issues[0]?.message ?? null

const isPercentile = (mark: string) => mark.endsWith('th')
const markChoices = [
  { group: 'Percentile', items: epssMarks.filter(isPercentile).map((mark) => ({ value: mark, label: mark })) },
  {
    group: 'Probability',
    items: epssMarks.filter((mark) => !isPercentile(mark)).map((mark) => ({ value: mark, label: mark })),
  },
]

export function RuleFields<Values extends Rules>({ form }: { form: UseFormReturnType<Values> }) {
  const { score_value, cvss_value, cvss3_value, epss_value } = form.values
  const values = { score: score_value, cvss: cvss_value, cvss3: cvss3_value, epss: epss_value }
  return (
    <div className={classes.rules}>
      {shownRules.map((rule) => (
        <div key={rule} className={classes.rule}>
          <Switch
            label={rule === 'due' ? 'Due tomorrow, and overdue' : ruleNames[rule]}
            description={describeRule(rule, values)}
            {...form.getInputProps(switchFor(rule), { type: 'checkbox' })}
          />
          {isThreshold(rule) && (
            <NumberInput
              aria-label={thresholds[rule].label}
              className={classes.threshold}
              size="xs"
              min={0}
              max={thresholds[rule].max}
              step={thresholds[rule].step}
              clampBehavior="none"
              disabled={!form.values[switchFor(rule)]}
              {...form.getInputProps(`${rule}_value`)}
            />
          )}
          {rule === 'epss' && (
            <NativeSelect
              aria-label="EPSS from"
              className={classes.threshold}
              size="xs"
              data={markChoices}
              disabled={!form.values.on_epss}
              {...form.getInputProps('epss_value')}
            />
          )}
        </div>
      ))}
      <div className={classes.rule}>
        <Switch
          label="The end of support"
          description="90 and 30 days before the release of something that you run gets no more fixes, and once it ended, in one mail or chat message a day; each once. Versions have to be told."
          {...form.getInputProps('on_end_of_life', { type: 'checkbox' })}
        />
      </div>
    </div>
  )
}
