package dev.weir.nacos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ZERO;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.SourceProbe;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Against a real Nacos server. */
@Tag("nightly")
@EnabledIfSystemProperty(named = "weir.nacos.server", matches = ".+", disabledReason = "runs with -Pnightly")
class NacosServerTest extends ConfigSourceContract {
    private static final String GROUP = "weir";
    private static final int LARGE = 1024 * 1024;

    @TempDir
    private static Path home;

    private static NacosProcess server;
    private static TcpProxy proxy;
    private static ConfigService direct;
    private static int documents;

    private ConfigService proxied;
    private String dataId;
    private boolean isNew = true;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty("JM.SNAPSHOT.PATH", home.resolve("client").toString());
        server = new NacosProcess(home, Path.of(System.getProperty("weir.nacos.server")));
        proxy = new TcpProxy(server.port() + NacosProcess.GRPC_OFFSET);
        direct = connect(server.port());
    }

    private static ConfigService connect(int httpPort) throws NacosException {
        Properties properties = new Properties();
        properties.setProperty("serverAddr", "127.0.0.1:" + httpPort);
        return NacosFactory.createConfigService(properties);
    }

    @AfterAll
    static void stop() throws Exception {
        direct.shutDown();
        proxy.close();
        server.close();
    }

    @BeforeEach
    void connect() throws NacosException {
        dataId = "limits-" + ++documents + ".yaml";
        proxied = connect(proxy.port() - NacosProcess.GRPC_OFFSET);
    }

    @AfterEach
    void shutDown() throws NacosException {
        proxied.shutDown();
    }

    @Override
    protected ConfigSource open() {
        return NacosSource.of(proxied, dataId, GROUP);
    }

    /** The server stores a document before it serves it, and one that is too large costs the client its connection. */
    @Override
    protected void write(byte[] content) throws Exception {
        String text = new String(content, UTF_8);
        if (content.length > LARGE && !direct.publishConfig(dataId, GROUP, text)) {
            throw new IOException("not published");
        }
        await().pollDelay(ZERO).until(() -> content.length > LARGE || direct.publishConfig(dataId, GROUP, text));
        if (isNew) {
            await().until(() -> text.equals(direct.getConfig(dataId, GROUP, 5_000)));
            isNew = false;
        }
    }

    @Override
    protected void delete() throws Exception {
        assertTrue(direct.removeConfig(dataId, GROUP));
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    /** Nacos stores text. */
    @Override
    protected byte[] junk() {
        return "\u0007{[}: *a &a \t\u00e9\u2028\ud83d\ude00\r\n%%%".getBytes(UTF_8);
    }

    /** Those of the client, which is the caller's. */
    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().matches("(?i).*(nacos|grpc|nacos-grpc|rpc).*");
    }

    @Test
    void aServerThatIsKilledIsLostAndReadWhenItIsBack() throws Exception {
        write(document(0));
        try (SourceProbe probe = new SourceProbe(open(), time)) {
            probe.awaitContent(document(0));
            for (int i = 1; i <= 3; i++) {
                int kills = i;
                server.close();
                probe.wake();
                probe.awaitThat("a loss", () -> probe.losses().size() == kills);
                server.start();
                probe.awaitThat("the end of the outage", () -> probe.restored() == kills);
                write(document(i));
                probe.awaitContent(document(i));
                assertEquals(1 + kills, probe.readings().size());
            }
        }
    }

    private static byte[] document(int number) {
        return ("limits: {} # " + number).getBytes(UTF_8);
    }
}
