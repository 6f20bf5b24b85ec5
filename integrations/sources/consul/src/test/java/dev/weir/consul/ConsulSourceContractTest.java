package dev.weir.consul;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Against a server of the documented form, as there is no Consul where this runs. */
class ConsulSourceContractTest extends ConfigSourceContract {
    private KeyServer server;
    private TcpProxy proxy;

    @BeforeEach
    void startServer() throws IOException {
        server = new KeyServer();
        proxy = new TcpProxy(server.port());
    }

    @AfterEach
    void stopServer() throws IOException {
        proxy.close();
        server.close();
    }

    @Override
    protected ConfigSource open() {
        return ConsulSource.builder(URI.create("http://127.0.0.1:" + proxy.port()), "shop/limits.yaml")
                .token(secret())
                .build();
    }

    @Override
    protected void write(byte[] content) {
        server.set(content);
    }

    @Override
    protected void delete() {
        server.set(null);
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    @Override
    protected String secret() {
        return KeyServer.TOKEN;
    }

    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().equals("key-server");
    }
}
