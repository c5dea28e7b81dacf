import classes from './inventories.module.css'

/** Why a component is here: what needs it, the outermost first. */
export const DependencyPath = ({ path }: { path: string[] }) =>
  path.length ? <div className={classes.path}>Needed by {path.join(' › ')}</div> : null
