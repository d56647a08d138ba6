//! Replays keys through quick_cache: get, and insert on a miss, each thread its own part of them,
//! as `cache-benchmarks rate` does. See compare_quick_cache.py.
//!
//!     quick_cache_peer KEYS CAPACITY THREADS default|fx int|string|uuid
//!
//! KEYS is a file of 64-bit integers in the byte order of the machine. Prints million operations
//! per second by the clock on the wall, and the hit ratio. Texts and objects are counted
//! references, as they are in Swift.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Instant;

use quick_cache::{sync::Cache, UnitWeighter};

/// A struct as an app keeps it.
#[derive(Clone)]
#[allow(dead_code)]
struct Article {
    number: i64,
    title: Arc<str>,
}

/// Runs all threads over their parts and prints what came of it.
fn replay<K, V, S>(
    keys: &[K],
    numbers: &[i64],
    capacity: usize,
    threads: usize,
    value: impl Fn(i64) -> V + Sync,
) where
    K: Hash + Eq + Clone + Send + Sync,
    V: Clone + Send + Sync,
    S: BuildHasher + Clone + Default + Send + Sync,
{
    let cache: Cache<K, V, UnitWeighter, S> =
        Cache::with(capacity, capacity as u64, UnitWeighter, S::default(), Default::default());
    let hits = AtomicUsize::new(0);
    let (ready, started) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let part = keys.len() * thread / threads..keys.len() * (thread + 1) / threads;
            let (cache, hits, ready, started) = (&cache, &hits, &ready, &started);
            let value = &value;
            scope.spawn(move || {
                ready.fetch_add(1, Ordering::SeqCst);
                while !started.load(Ordering::SeqCst) {
                    std::hint::spin_loop();
                }
                let mut found = 0;
                for place in part {
                    if cache.get(&keys[place]).is_some() {
                        found += 1;
                    } else {
                        cache.insert(keys[place].clone(), value(numbers[place]));
                    }
                }
                hits.fetch_add(found, Ordering::SeqCst);
            });
        }
        while ready.load(Ordering::SeqCst) < threads {
            std::hint::spin_loop();
        }
        begin = Instant::now();
        started.store(true, Ordering::SeqCst);
    });
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{:.4} {:.6}",
        keys.len() as f64 / 1e6 / seconds,
        hits.load(Ordering::SeqCst) as f64 / keys.len() as f64
    );
}

/// Chooses keys and values by their name.
fn run<S>(kind: &str, numbers: &[i64], capacity: usize, threads: usize)
where
    S: BuildHasher + Clone + Default + Send + Sync,
{
    match kind {
        "string" => {
            let mut made: HashMap<i64, Arc<str>> = HashMap::new();
            let keys: Vec<Arc<str>> = numbers
                .iter()
                .map(|number| {
                    made.entry(*number).or_insert_with(|| format!("article/{number}").into()).clone()
                })
                .collect();
            replay::<_, _, S>(&keys, numbers, capacity, threads, |number| Article {
                number,
                title: format!("What happened in the town of {number}").into(),
            })
        }
        "uuid" => {
            let keys: Vec<[u8; 16]> = numbers
                .iter()
                .map(|number| {
                    let low = (*number as u64).wrapping_mul(31);
                    let mut key = [0; 16];
                    key[..8].copy_from_slice(&number.to_ne_bytes());
                    key[8..].copy_from_slice(&low.to_ne_bytes());
                    key
                })
                .collect();
            replay::<_, _, S>(&keys, numbers, capacity, threads, Arc::new)
        }
        _ => replay::<_, _, S>(numbers, numbers, capacity, threads, |number| !number),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, capacity, threads, hasher, kind] = &words[..] else {
        eprintln!("usage: quick_cache_peer KEYS CAPACITY THREADS default|fx int|string|uuid");
        std::process::exit(2);
    };
    let bytes = std::fs::read(file).expect("the keys cannot be read");
    let numbers: Vec<i64> = bytes
        .chunks_exact(8)
        .map(|word| i64::from_ne_bytes(word.try_into().expect("a word has 8 bytes")))
        .collect();
    let capacity = capacity.parse().expect("CAPACITY is a number");
    let threads = threads.parse().expect("THREADS is a number");
    match hasher.as_str() {
        "fx" => run::<rustc_hash::FxBuildHasher>(kind, &numbers, capacity, threads),
        _ => run::<quick_cache::DefaultHashBuilder>(kind, &numbers, capacity, threads),
    }
}
