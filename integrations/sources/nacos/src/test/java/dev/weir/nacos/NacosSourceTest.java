package dev.weir.nacos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What needs no server. All else is in {@link NacosServerTest}. */
class NacosSourceTest {
    private ConfigService service;

    @BeforeEach
    void open() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("serverAddr", "127.0.0.1:" + unusedPort());
        service = NacosFactory.createConfigService(properties);
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void close() throws NacosException {
        service.shutDown();
    }

    @Test
    void withoutAServerAReadingFailsAndIsNotAnAbsentDocument() throws Exception {
        assertNull(service.getConfig("limits.yaml", "DEFAULT_GROUP", 1_000), "what the client says of an outage");
        try (NacosSource source = NacosSource.of(service, "limits.yaml", "DEFAULT_GROUP")) {
            source.watch(() -> {});
            NacosException failure = assertThrows(NacosException.class, source::read);
            assertTrue(failure.getMessage().contains("not connected"), failure.getMessage());
        }
    }

    @Test
    void namesAreChecked() {
        assertEquals(
                "nacos:shop/limits.json",
                NacosSource.of(service, "limits.json", "shop").name());
        assertThrows(IllegalArgumentException.class, () -> NacosSource.of(service, " ", "shop"));
        assertThrows(IllegalArgumentException.class, () -> NacosSource.of(service, "limits.yaml", ""));
    }

    @Test
    void closesBeforeItsFirstReadingAndTwice() {
        NacosSource source = NacosSource.of(service, "limits.yaml", "shop");
        source.close();
        source.close();
    }
}
