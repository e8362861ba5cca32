//! Child processes: servers that end with their owner, and commands.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How often a server is started before its port counts as taken for good.
const ATTEMPTS: usize = 5;

/// A server process. Dropping it kills exactly this process and waits for it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts `command` with both output streams written to `log`.
    pub fn start(mut command: Command, log: &Path) -> Result<Self> {
        let output = File::create(log)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .with_context(|| format!("start {}", command.get_program().display()))?;
        Ok(Self {
            child,
            log: log.to_owned(),
        })
    }

    /// Fails with the end of the log if the process has ended.
    pub fn ensure_running(&mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!(
                "{} ended, {status}:\n{}",
                self.log.display(),
                self.log_tail()
            );
        }
        Ok(())
    }

    /// ID of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Last lines of the log, for an error message.
    pub fn log_tail(&self) -> String {
        tail(&self.log)
    }
}

/// Last lines of a log, for an error message.
pub fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks the kernel for a TCP port that is free now. Another process may take it
/// before it is used, see [`on_free_port`].
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Starts a server on a free port, and on another one if somebody took that meanwhile,
/// which its error has to say in the words of the system.
pub fn on_free_port<T>(mut start: impl FnMut(u16) -> Result<T>) -> Result<T> {
    let mut attempt = 1;
    loop {
        match start(free_port()?) {
            Err(error) if attempt < ATTEMPTS && port_is_taken(&error) => attempt += 1,
            result => return result,
        }
    }
}

fn port_is_taken(error: &anyhow::Error) -> bool {
    let text = format!("{error:#}").to_lowercase();
    text.contains("address already in use")
}

/// Runs `command` to its end with `input` on standard input and returns its
/// standard output. A failure carries the command and its standard error.
pub fn run(command: &mut Command, input: &str) -> Result<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("start {}", command.get_program().display()))?;
    let stdin = child.stdin.take();
    let stderr = child.stderr.take();
    std::thread::scope(|scope| -> Result<String> {
        // A thread for each pipe: the child may write before it has read all.
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
        let errors = scope.spawn(move || {
            let mut text = Vec::new();
            if let Some(mut pipe) = stderr {
                let _ = pipe.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let output = child.wait_with_output()?;
        let errors = errors.join().unwrap_or_default();
        if !output.status.success() {
            bail!("{command:?}: {}\n{}", output.status, errors.trim_end());
        }
        String::from_utf8(output.stdout).context("output is not UTF-8")
    })
}

/// Calls `ready` until it answers true, every 100 ms for at most `limit`.
pub fn wait_until(
    what: &str,
    limit: Duration,
    mut ready: impl FnMut() -> Result<bool>,
) -> Result<()> {
    let end = Instant::now() + limit;
    while !ready()? {
        if Instant::now() > end {
            bail!("{what} took longer than {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_server_ends_its_process() {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command.arg("60");
        let server = Server::start(command, &directory.path().join("log")).unwrap();
        let process = PathBuf::from(format!("/proc/{}", server.id()));
        assert!(process.exists());
        drop(server);
        assert!(!process.exists());
    }

    #[test]
    fn a_server_that_ended_shows_its_log() {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo out of luck; exit 3"]);
        let mut server = Server::start(command, &directory.path().join("log")).unwrap();
        server.child.wait().unwrap();
        let error = server.ensure_running().unwrap_err().to_string();
        assert!(
            error.contains("exit status: 3") && error.contains("out of luck"),
            "{error}"
        );
    }

    #[test]
    fn a_port_that_somebody_took_is_not_the_end() {
        let mut holder = None;
        let listener = on_free_port(|port| {
            let address = ("127.0.0.1", port);
            if holder.is_none() {
                holder = Some(TcpListener::bind(address)?);
            }
            Ok(TcpListener::bind(address)?)
        });
        assert_ne!(
            listener.unwrap().local_addr().unwrap(),
            holder.unwrap().local_addr().unwrap()
        );
        let mut starts = 0;
        let failed: Result<()> = on_free_port(|_| {
            starts += 1;
            bail!("out of luck")
        });
        assert!(failed.is_err());
        assert_eq!(starts, 1, "no other fault is tried again");
    }

    #[test]
    fn input_larger_than_a_pipe_passes_through() {
        let input = "x".repeat(1 << 20);
        assert_eq!(run(&mut Command::new("cat"), &input).unwrap(), input);
    }
}
