//! What SQL can do here that it cannot elsewhere.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};

/// `geomean(x)`: the geometric mean of positive numbers; nulls are left out, no number gives null.
pub fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_aggregate_function("geomean", 1, flags, GeometricMean)
}

struct GeometricMean;

impl Aggregate<(f64, u32), Option<f64>> for GeometricMean {
    fn init(&self, _: &mut Context<'_>) -> Result<(f64, u32)> {
        Ok((0.0, 0))
    }

    fn step(&self, context: &mut Context<'_>, (logarithms, count): &mut (f64, u32)) -> Result<()> {
        let Some(value) = context.get::<Option<f64>>(0)? else { return Ok(()) };
        if value <= 0.0 {
            let message = format!("geomean: {value} is not positive");
            return Err(Error::UserFunctionError(message.into()));
        }
        *logarithms += value.ln();
        *count += 1;
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, state: Option<(f64, u32)>) -> Result<Option<f64>> {
        Ok(state.filter(|(_, count)| *count > 0).map(|(sum, count)| (sum / f64::from(count)).exp()))
    }
}
