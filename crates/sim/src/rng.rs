//! Chance, made of a seed and nothing else.

/// The splitmix64 generator: a few lines, stable for ever, so a seed that was written down stays worth something.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// A generator of its own for one part of the world, so that parts do not disturb each other's draws.
    pub fn split(&mut self) -> Rng {
        Rng(self.draw())
    }

    /// A number from `0` up to, not including, `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is nothing to draw from");
        (self.draw() % bound as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in so many of a thousand cases.
    pub fn permille(&mut self, share: usize) -> bool {
        self.below(1_000) < share
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
