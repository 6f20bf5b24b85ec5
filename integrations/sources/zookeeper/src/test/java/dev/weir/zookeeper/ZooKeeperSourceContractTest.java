package dev.weir.zookeeper;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.ZooKeeperServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class ZooKeeperSourceContractTest extends ConfigSourceContract {
    private static ZooKeeperServer server;
    private static CuratorFramework writer;
    private static int documents;

    private final String path = "/shop/limits-" + documents++;
    private TcpProxy proxy;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.started();
        writer = CuratorFrameworkFactory.newClient(server.connection(), new RetryNTimes(0, 0));
        writer.start();
    }

    @AfterAll
    static void stopServer() {
        writer.close();
        server.close();
    }

    @BeforeEach
    void startProxy() throws Exception {
        proxy = new TcpProxy(server.port());
    }

    @AfterEach
    void stopProxy() throws Exception {
        proxy.close();
    }

    @Override
    protected ConfigSource open() {
        return ZooKeeperSource.connect("127.0.0.1:" + proxy.port(), path);
    }

    @Override
    protected void write(byte[] content) throws Exception {
        writer.create().orSetData().creatingParentsIfNeeded().forPath(path, content);
    }

    @Override
    protected void delete() throws Exception {
        writer.delete().forPath(path);
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return ServerThreads.has(thread);
    }
}
