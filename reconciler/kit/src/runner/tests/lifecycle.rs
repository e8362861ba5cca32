//! How a runner bounds its work and how it ends.

use super::*;

fn slow(time: Duration) -> impl Fn(&str) -> BoxFuture<'static, Result<Next, Trouble>> {
    move |_| {
        async move {
            sleep(time).await;
            Ok(Next::Wait)
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_run_at_once_than_allowed_and_never_two_for_one_object() {
    let running = Arc::new(Mutex::new((Vec::<String>::new(), 0)));
    let seen = Arc::clone(&running);
    let config = Config {
        concurrency: 3,
        ..Config::default()
    };
    let objects: Vec<_> = (0..10).map(|n| object(&format!("{n}"))).collect();
    let mut bench = Bench::start(&objects, config, move |name| {
        let (seen, name) = (Arc::clone(&seen), name.to_owned());
        async move {
            {
                let (running, most) = &mut *seen.lock().unwrap();
                assert!(!running.contains(&name), "{name} runs twice");
                running.push(name.clone());
                *most = running.len().max(*most);
            }
            sleep(Duration::from_secs(1)).await;
            seen.lock().unwrap().0.retain(|other| *other != name);
            Ok(Next::Wait)
        }
        .boxed()
    });
    sleep(Duration::from_millis(500)).await;
    let busy = running.lock().unwrap().0[0].clone();
    let mut changed = object(&busy);
    changed["metadata"]["generation"] = 2.into();
    bench.feed.apply(&changed);
    assert_eq!(bench.during(Duration::from_secs(30)).await.len(), 11);
    assert_eq!(running.lock().unwrap().1, 3);
    assert!(!bench.counts("kind=\"internal\""));
}

#[tokio::test(start_paused = true)]
async fn shutdown_lets_running_reconciles_finish_and_starts_no_more() {
    let config = Config {
        concurrency: 1,
        ..Config::default()
    };
    let objects = [object("a"), object("b")];
    let script = slow(Duration::from_secs(10));
    let (mut bench, runner) = Bench::new(Feed::listed(&objects), config, script);
    let run = tokio::spawn(runner.run(bench.shutdown.clone()));
    assert_eq!(bench.during(Duration::from_secs(1)).await.len(), 1);
    bench.shutdown.cancel();
    assert_eq!(run.await.unwrap(), Ok(()));
    assert!((9.9..10.5).contains(&bench.begin.elapsed().as_secs_f64()));
    assert!(bench.during(MOMENT).await.is_empty());
    assert!(bench.counts("banlieue_reconcile_total{controller=\"scripted\",result=\"success\"} 1"));
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_outlasts_the_drain_is_cut_off() {
    let config = Config {
        drain: Duration::from_secs(5),
        ..Config::default()
    };
    let script = slow(Duration::from_secs(100));
    let (mut bench, runner) = Bench::new(Feed::listed(&[object("a")]), config, script);
    let run = tokio::spawn(runner.run(bench.shutdown.clone()));
    bench.during(Duration::from_secs(1)).await;
    bench.shutdown.cancel();
    assert!(run.await.unwrap().is_err());
    assert!((5.9..6.5).contains(&bench.begin.elapsed().as_secs_f64()));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_runner_ends_running_reconciles_at_their_next_await() {
    let done = Arc::new(Mutex::new(false));
    let flag = Arc::clone(&done);
    let feed = Feed::listed(&[object("a")]);
    let (mut bench, runner) = Bench::new(feed, Config::default(), move |_| {
        let flag = Arc::clone(&flag);
        async move {
            sleep(Duration::from_secs(10)).await;
            *flag.lock().unwrap() = true;
            Ok(Next::Wait)
        }
        .boxed()
    });
    let run = tokio::spawn(runner.run(bench.shutdown.clone()));
    assert_eq!(bench.during(Duration::from_secs(1)).await, ["a"]);
    run.abort();
    sleep(Duration::from_secs(60)).await;
    assert!(!*done.lock().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_runner_beats_while_its_reconciles_take_long() {
    let bench = Bench::start(
        &[object("a")],
        Config::default(),
        slow(Duration::from_secs(100)),
    );
    sleep(Duration::from_secs(90)).await;
    assert!(bench.health.stalled(Instant::now()).is_empty());
}
