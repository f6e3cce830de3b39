/** A setting of the environment that names a database cannot be used. The message names the variable, never its password. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
