//! SIEVE for 'larder run' in Rust: requests on standard input, answers on standard output.
//!
//!     rustc -O sieve.rs
//!     sieve CAPACITY
//!
//! Counts objects. docs/processes.md describes the protocol, which is a part of memcached's.
//! Yazhuo Zhang, Juncheng Yang, Yao Yue, Ymir Vigfusson, K. V. Rashmi: SIEVE is Simpler than LRU,
//! NSDI 2024.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

/// An object in the list, whose head is the newest; indices are those of `Sieve::entries`.
struct Entry {
    key: String,
    value: Vec<u8>,
    visited: bool,
    newer: Option<usize>,
    older: Option<usize>,
}

struct Sieve {
    capacity: usize,
    entries: Vec<Entry>,
    free: Vec<usize>,
    places: HashMap<String, usize>,
    newest: Option<usize>,
    oldest: Option<usize>,
    hand: Option<usize>,
}

impl Sieve {
    fn unlink(&mut self, place: usize) {
        let (newer, older) = (self.entries[place].newer, self.entries[place].older);
        match newer {
            Some(other) => self.entries[other].older = older,
            None => self.newest = older,
        }
        match older {
            Some(other) => self.entries[other].newer = newer,
            None => self.oldest = newer,
        }
        if self.hand == Some(place) {
            self.hand = newer;
        }
        self.entries[place].value = Vec::new();
        self.free.push(place);
    }

    fn remove(&mut self, key: &str) -> bool {
        match self.places.remove(key) {
            Some(place) => {
                self.unlink(place);
                true
            }
            None => false,
        }
    }

    fn evict(&mut self) {
        let mut place = self.hand.or(self.oldest);
        while let Some(here) = place {
            if !self.entries[here].visited {
                self.hand = Some(here);
                let key = std::mem::take(&mut self.entries[here].key);
                self.places.remove(&key);
                self.unlink(here);
                return;
            }
            self.entries[here].visited = false;
            place = self.entries[here].newer.or(self.oldest);
        }
    }

    fn store(&mut self, key: &str, value: Vec<u8>) -> bool {
        if let Some(&place) = self.places.get(key) {
            self.entries[place].value = value;
            self.entries[place].visited = true;
            return true;
        }
        if self.capacity == 0 {
            return false;
        }
        if self.places.len() == self.capacity {
            self.evict();
        }
        let entry = Entry {
            key: key.to_string(),
            value,
            visited: false,
            newer: None,
            older: self.newest,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        match self.newest {
            Some(other) => self.entries[other].newer = Some(place),
            None => self.oldest = Some(place),
        }
        self.newest = Some(place);
        self.places.insert(key.to_string(), place);
        true
    }
}

fn main() -> io::Result<()> {
    let capacity = match std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        Some(capacity) => capacity,
        None => {
            eprintln!("usage: sieve CAPACITY");
            std::process::exit(2);
        }
    };
    let mut cache = Sieve {
        capacity,
        entries: Vec::new(),
        free: Vec::new(),
        places: HashMap::new(),
        newest: None,
        oldest: None,
        hand: None,
    };
    let mut requests = BufReader::new(io::stdin());
    let mut answers = BufWriter::new(io::stdout());
    let mut line = String::new();
    loop {
        line.clear();
        if requests.read_line(&mut line)? == 0 {
            return Ok(()); // standard input has ended
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["get", key] => {
                if let Some(&place) = cache.places.get(*key) {
                    let entry = &mut cache.entries[place];
                    entry.visited = true;
                    write!(answers, "VALUE {} 0 {}\r\n", key, entry.value.len())?;
                    answers.write_all(&entry.value)?;
                    answers.write_all(b"\r\n")?;
                }
                answers.write_all(b"END\r\n")?;
            }
            ["set", key, _, _, length] => {
                let length: usize = length.parse().map_err(io::Error::other)?;
                let mut value = vec![0; length + 2];
                requests.read_exact(&mut value)?;
                value.truncate(length);
                let stored = cache.store(key, value);
                answers.write_all(if stored { b"STORED\r\n" } else { b"NOT_STORED\r\n" })?;
            }
            ["delete", key] => {
                let found = cache.remove(key);
                answers.write_all(if found { b"DELETED\r\n" } else { b"NOT_FOUND\r\n" })?;
            }
            ["version"] => answers.write_all(b"VERSION sieve.rs\r\n")?,
            ["quit"] => return Ok(()),
            _ => answers.write_all(b"ERROR\r\n")?,
        }
        answers.flush()?;
    }
}
