package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisURI;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClosingTest {
    private static final String CONNECTIONS = "io.lettuce.core.RedisChannelHandler";

    private final Thread closing = Thread.currentThread();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(CONNECTIONS);
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (Thread.currentThread() == closing) {
                logged.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void capture() {
        logger.addHandler(handler);
        InternalLoggerFactory.getInstance(CONNECTIONS).warn("captured");
    }

    @AfterEach
    void release() {
        logger.removeHandler(handler);
    }

    @Test
    @Needs(Server.REDIS)
    void closingLogsNothing() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            RedisURI uri = RedisURI.create(server.uri());
            for (int i = 0; i < 5; i++) {
                Redis.connect(server.uri()).close();
                try (RedisSource source = RedisSource.connect(uri, "limits.yaml")) {
                    source.read();
                }
                try (RedisRegistry registry = RedisRegistry.connect(uri, "weir", "i0", Duration.ofSeconds(10))) {
                    registry.renew();
                }
            }
        }
        assertEquals(List.of("captured"), logged);
    }
}
