#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};

use super::*;
use crate::testing::fixtures::{cluster_path, image, path, provider};
use crate::testing::{Feeds, Server};

struct World {
    server: Server,
    feeds: Feeds,
    images: VmImages,
    seconds: i64,
}

impl World {
    fn new(rows: &[&str]) -> Self {
        let (server, mut feeds) = (Server::new(), Feeds::new());
        server.put(&cluster_path("vmimages/linux"), &image(rows));
        for name in ["a", "b"] {
            let provider = provider(name, "sim", "1", &[]);
            server.put(&path(&format!("providers/{name}")), &provider);
        }
        feeds.sync(&server);
        let images = VmImages {
            client: server.client(),
            watched: feeds.watched(),
        };
        Self {
            server,
            feeds,
            images,
            seconds: 0,
        }
    }

    async fn pass(&mut self) {
        self.seconds += 60;
        let cache = self.images.watched.images.cache();
        let image = cache.get(None, "linux").unwrap();
        let now = Timestamp::from_second(self.seconds).unwrap();
        self.images.reconcile(image, now).await.unwrap();
    }

    fn status(&self) -> Value {
        self.server.get(&cluster_path("vmimages/linux")).unwrap()["status"].clone()
    }
}

#[tokio::test]
async fn ready_is_written_beside_the_rows_of_others_and_once() {
    let mut world = World::new(&["a", "b"]);
    world.pass().await;
    let status = world.status();
    assert_eq!(status["conditions"][0]["message"], "ready on 2 Providers");
    assert_eq!(status["perProvider"].as_array().unwrap().len(), 2);
    world.pass().await;
    world.feeds.sync(&world.server);
    world.pass().await;
    assert_eq!(
        world.server.lines(),
        ["apply vmimages/linux/status by banlieue.io/controller"]
    );
}

#[tokio::test]
async fn only_what_is_the_controllers_is_sent() {
    let mut world = World::new(&["a"]);
    world.pass().await;
    let sent = world.server.body(0);
    let fields: Vec<&String> = sent["status"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["observedGeneration", "conditions"]);
}

#[tokio::test]
async fn a_row_that_turns_turns_ready() {
    let mut world = World::new(&["a"]);
    world.pass().await;
    world.server.edit(&cluster_path("vmimages/linux"), |image| {
        image["status"]["perProvider"][0]["ready"] = json!(false);
    });
    world.feeds.sync(&world.server);
    world.pass().await;
    assert_eq!(world.status()["conditions"][0]["status"], "False");
}
