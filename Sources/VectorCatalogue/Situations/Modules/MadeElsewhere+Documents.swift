// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let documents = #"""
        [{"name":"document-p-256","title":"a public key on P-256","proves":["KEY-11"],"clause":null,"given":{"bytes\#
        ":"3059301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189d\#
        ae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-p-256-private-public","title":"a private key on P-256 with its public key","proves":["KE\#
        Y-11"],"clause":null,"given":{"bytes":"308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b02010\#
        10420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a14403420004c13b12a6e62e153c718a54eaf\#
        e39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","\#
        secret":true}},
        {"name":"document-p-256-compressed","title":"a compressed public key on P-256","proves":["KEY-11"],"clause\#
        ":null,"given":{"bytes":"3039301306072a8648ce3d020106082a8648ce3d03010703220002c13b12a6e62e153c718a54eafe3\#
        9d3d90c476c0381070189dae1360060d39b53"}},
        {"name":"document-p-256-pem","title":"a public key on P-256 as text","proves":["KEY-11"],"clause":null,"gi\#
        ven":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2QxHbAOB\#
        \nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-p-256-private","title":"a private key on P-256","proves":["KEY-11"],"clause":null,"given\#
        ":{"bytes":"3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420d9749a886f167aea210af9a2\#
        731a84cf453744260aef0fbb80c39bd37257ece8","secret":true}},
        {"name":"document-p-256-private-pem","title":"a private key on P-256 as text","proves":["KEY-11"],"clause"\#
        :null,"given":{"text":"-----BEGIN PRIVATE KEY-----\nMEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCDZdJqIbx\#
        Z66iEK+aJz\nGoTPRTdEJgrvD7uAw5vTclfs6A==\n-----END PRIVATE KEY-----\n","secret":true}},
        {"name":"document-p-256-private-curve","title":"a private key that names P-256 twice","proves":["KEY-11"],\#
        "clause":null,"given":{"bytes":"3073020100301306072a8648ce3d020106082a8648ce3d030107045930570201010420d974\#
        9a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a00a06082a8648ce3d030107a12403220002c13b12a6e6\#
        2e153c718a54eafe39d3d90c476c0381070189dae1360060d39b53","secret":true}},
        {"name":"document-p-256-version-2","title":"a private key on P-256, version 2","proves":["KEY-11"],"clause\#
        ":null,"given":{"bytes":"308185020101301306072a8648ce3d020106082a8648ce3d030107042730250201010420d9749a886\#
        f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece881420004c13b12a6e62e153c718a54eafe39d3d90c476c03810\#
        70189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","secret":true}},
        {"name":"document-p-256-sec1","title":"a private key on P-256 by SEC 1","proves":["KEY-11"],"clause":null,\#
        "given":{"bytes":"30770201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a00a06082a\#
        8648ce3d030107a14403420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a\#
        5756e0726112bf8329e5ba0482191771c93869343a34cfb4","secret":true}},
        {"name":"document-p-256-sec1-pem","title":"a private key on P-256 by SEC 1 as text","proves":["KEY-11"],"c\#
        lause":null,"given":{"text":"-----BEGIN EC PRIVATE KEY-----\nMDECAQEEINl0mohvFnrqIQr5onMahM9FN0QmCu8Pu4DDm\#
        9NyV+zooAoGCCqGSM49\nAwEH\n-----END EC PRIVATE KEY-----\n","secret":true}},
        {"name":"document-p-384","title":"a public key on P-384","proves":["KEY-11"],"clause":null,"given":{"bytes\#
        ":"3076301006072a8648ce3d020106052b8104002203620004fe4aafd993947e8a30fb400635832a2a99eba2628b762249368e135\#
        75f262f8725ebd6421384e94cdf7490ed2b971f74cb0e7c6a90b5fd52872a58f0f19ef711de1b945911ddcf401e642526af357485f\#
        7ccb6e6d66a6073145aa033e631cc61"}},
        {"name":"document-p-384-private-public","title":"a private key on P-384 with its public key","proves":["KE\#
        Y-11"],"clause":null,"given":{"bytes":"3081b6020100301006072a8648ce3d020106052b8104002204819e30819b0201010\#
        430d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece737c22ae14e37d34ff19d62faed7d439ea164036\#
        20004fe4aafd993947e8a30fb400635832a2a99eba2628b762249368e13575f262f8725ebd6421384e94cdf7490ed2b971f74cb0e7\#
        c6a90b5fd52872a58f0f19ef711de1b945911ddcf401e642526af357485f7ccb6e6d66a6073145aa033e631cc61","secret":true\#
        }},
        {"name":"document-p-521","title":"a public key on P-521","proves":["KEY-11"],"clause":null,"given":{"bytes\#
        ":"30819b301006072a8648ce3d020106052b810400230381860004014253f5d3885b5e553785ef7a6fecb58c67012160a3502d948\#
        579d5b4ae8c2dca76bb6d0e2df080e4032e9ac8cf1c92dec664f9ea00cc4a78543d24b83af04994ee014920e784bbcec712f889fa7\#
        5fab74ffd24d1d12c6eac96855159e1cbf6a9621f73285293152b79b79b7d1346f0a76028af0336692f3982ceb933aa59acef3269d\#
        f"}},
        {"name":"document-p-521-private-public","title":"a private key on P-521 with its public key","proves":["KE\#
        Y-11"],"clause":null,"given":{"bytes":"3081ee020100301006072a8648ce3d020106052b810400230481d63081d30201010\#
        44201749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece73a27c62022a32b3c7c4378ea62b50b8b71233b5\#
        4d85c9a08126d766b4922a1fa00e2a181890381860004014253f5d3885b5e553785ef7a6fecb58c67012160a3502d948579d5b4ae8\#
        c2dca76bb6d0e2df080e4032e9ac8cf1c92dec664f9ea00cc4a78543d24b83af04994ee014920e784bbcec712f889fa75fab74ffd2\#
        4d1d12c6eac96855159e1cbf6a9621f73285293152b79b79b7d1346f0a76028af0336692f3982ceb933aa59acef3269df","secret\#
        ":true}},
        {"name":"document-rsa","title":"a public key of RSA","proves":["KEY-11"],"clause":null,"given":{"bytes":"3\#
        0820122300d06092a864886f70d01010105000382010f003082010a0282010100c7698d04ad0b9552c54623dc992871bf6d45e31f1\#
        a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f78\#
        58f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab1885\#
        75e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d5\#
        6558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c\#
        399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-pem","title":"a public key of RSA as text","proves":["KEY-11"],"clause":null,"given"\#
        :{"text":"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx2mNBK0LlVLFRiPcmShx\nv2\#
        1F4x8aLJ3Tq8cNyVIa1lbxBblW3/EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2\nRPwp/mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk\#
        1Df3WDjYUA11N4vbG3rzig\n5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7T\nZswiByuwVWlcmYbX\#
        QF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal/Iksd4a94wGvwt\nFptTLCTj/w7ijdQQOqjWYoL+7n8Ds6sEEMOZzqwmq+RcdxSFhewwtySx\#
        Tb/PC9/K\nDwIDAQAB\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-ed25519","title":"a public key on Ed25519","proves":["KEY-11"],"clause":null,"given":{"b\#
        ytes":"302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}},
        {"name":"document-ed25519-private","title":"a private key on Ed25519","proves":["KEY-11"],"clause":null,"g\#
        iven":{"bytes":"302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031c\#
        ae7f60","secret":true}},
        {"name":"document-ed25519-version-2","title":"a private key on Ed25519, version 2","proves":["KEY-11"],"cl\#
        ause":null,"given":{"bytes":"3051020101300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326\#
        919703bac031cae7f60812100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","secret":true}},
        {"name":"document-empty","title":"no bytes","proves":["KEY-11"],"clause":"KEY-11","given":{"bytes":""}},
        {"name":"document-cut","title":"a key without its last byte","proves":["KEY-11"],"clause":"KEY-11","given"\#
        :{"bytes":"3059301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c038\#
        1070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cf"}},
        {"name":"document-extended","title":"a key with a byte more","proves":["KEY-11"],"clause":"KEY-11","given"\#
        :{"bytes":"3059301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c038\#
        1070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb400"}},
        {"name":"document-twice","title":"a key twice","proves":["KEY-11"],"clause":"KEY-11","given":{"bytes":"305\#
        9301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360\#
        060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb43059301306072a8648ce3d020106082a8\#
        648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e\#
        0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-long-length","title":"a length in more bytes than it needs","proves":["KEY-11"],"clause"\#
        :"KEY-11","given":{"bytes":"30820059301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a\#
        54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cf\#
        b4"}},
        {"name":"document-endless","title":"a length that is left open","proves":["KEY-11"],"clause":"KEY-11","giv\#
        en":{"bytes":"3080301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c476c\#
        0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb40000"}},
        {"name":"document-huge","title":"a length of eight bytes","proves":["KEY-11"],"clause":"KEY-11","given":{"\#
        bytes":"30887f7f7f7f7f7f7f7f301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39\#
        d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-set","title":"a set in the place of a sequence","proves":["KEY-11"],"clause":"KEY-11","g\#
        iven":{"bytes":"3159301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d90c47\#
        6c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-unused-bits","title":"a point with unused bits","proves":["KEY-11"],"clause":"KEY-11","g\#
        iven":{"bytes":"3059301306072a8648ce3d020106082a8648ce3d03010703420104c13b12a6e62e153c718a54eafe39d3d90c47\#
        6c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-no-bits","title":"no point","proves":["KEY-11"],"clause":"KEY-11","given":{"bytes":"3017\#
        301306072a8648ce3d020106082a8648ce3d0301070300"}},
        {"name":"document-octets","title":"a point as octets","proves":["KEY-11"],"clause":"KEY-11","given":{"byte\#
        s":"3059301306072a8648ce3d020106082a8648ce3d03010704420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189\#
        dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-explicit-curve","title":"a curve that is written out","proves":["KEY-11"],"clause":"RFC5\#
        480-2.1.1","given":{"bytes":"308182303c06072a8648ce3d02013031020101302c06072a8648ce3d0101022100ffffffff000\#
        00001000000000000000000000000ffffffffffffffffffffffff03420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070\#
        189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-no-curve","title":"a curve that is not named","proves":["KEY-11"],"clause":"RFC5480-2.1.\#
        1","given":{"bytes":"304f300906072a8648ce3d020103420004c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae\#
        1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-foreign-curve","title":"a key on secp256k1","proves":["KEY-11"],"clause":"KEY-11","given\#
        ":{"bytes":"3056301006072a8648ce3d020106052b8104000a03420004c13b12a6e62e153c718a54eafe39d3d90c476c03810701\#
        89dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4"}},
        {"name":"document-curve-and-more","title":"a curve and something behind it","proves":["KEY-11"],"clause":"\#
        KEY-11","given":{"bytes":"305b301506072a8648ce3d020106082a8648ce3d030107050003420004c13b12a6e62e153c718a54\#
        eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4\#
        "}},
        {"name":"document-foreign-algorithm","title":"a key for agreements by X25519","proves":["KEY-11"],"clause"\#
        :"KEY-11","given":{"bytes":"302a300506032b656e032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a\#
        68f707511a"}},
        {"name":"document-ed25519-parameters","title":"Ed25519 with parameters","proves":["KEY-11"],"clause":"KEY-\#
        11","given":{"bytes":"302c300706032b65700500032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68\#
        f707511a"}},
        {"name":"document-off-curve","title":"no point of the curve","proves":["KEY-11"],"clause":"RFC8446-4.2.8.2\#
        ","given":{"bytes":"3059301306072a8648ce3d020106082a8648ce3d03010703420004c13b12a6e62e153c718a54eafe39d3d9\#
        0c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb5"}},
        {"name":"document-infinity","title":"the point at infinity","proves":["KEY-11"],"clause":"RFC8446-4.2.8.2"\#
        ,"given":{"bytes":"3019301306072a8648ce3d020106082a8648ce3d03010703020000"}},
        {"name":"document-other-length","title":"a point of another curve","proves":["KEY-11"],"clause":"RFC5480-2\#
        .2","given":{"bytes":"3079301306072a8648ce3d020106082a8648ce3d03010703620004fe4aafd993947e8a30fb400635832a\#
        2a99eba2628b762249368e13575f262f8725ebd6421384e94cdf7490ed2b971f74cb0e7c6a90b5fd52872a58f0f19ef711de1b9459\#
        11ddcf401e642526af357485f7ccb6e6d66a6073145aa033e631cc61"}},
        {"name":"document-rsa-no-parameters","title":"RSA without its NULL","proves":["KEY-11"],"clause":"RFC8017-\#
        A.1","given":{"bytes":"30820120300b06092a864886f70d0101010382010f003082010a0282010100c7698d04ad0b9552c5462\#
        3dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c364\#
        4fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80\#
        bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c998\#
        6d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66\#
        282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-parameters","title":"RSA with a NULL that is not empty","proves":["KEY-11"],"clause"\#
        :"RFC8017-A.1","given":{"bytes":"30820123300e06092a864886f70d0101010501000382010f003082010a0282010100c7698\#
        d04ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796\#
        de0cc35b1835c3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7a\#
        f38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc2\#
        2072bb055695c9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0\#
        ee28dd4103aa8d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-pss","title":"RSA for PSS alone","proves":["KEY-11"],"clause":"KEY-11","given":{"byt\#
        es":"30820122300d06092a864886f70d01010a05000382010f003082010a0282010100c7698d04ad0b9552c54623dc992871bf6d4\#
        5e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45d\#
        a35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80\#
        ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9dd\#
        d6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3a\#
        b0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-negative","title":"a negative modulus","proves":["KEY-11"],"clause":"KEY-11","given"\#
        :{"bytes":"30820121300d06092a864886f70d01010105000382010e003082010902820100c7698d04ad0b9552c54623dc992871b\#
        f6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633\#
        b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c\#
        1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70c\#
        d9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f0\#
        3b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-zero-in-front","title":"a modulus with two zeros in front","proves":["KEY-11"],"clau\#
        se":"KEY-11","given":{"bytes":"30820123300d06092a864886f70d010101050003820110003082010b028201020000c7698d0\#
        4ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de\#
        0cc35b1835c3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af3\#
        8a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc220\#
        72bb055695c9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee\#
        28dd4103aa8d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0203010001"}},
        {"name":"document-rsa-empty-exponent","title":"an exponent of no bytes","proves":["KEY-11"],"clause":"KEY-\#
        11","given":{"bytes":"3082011f300d06092a864886f70d01010105000382010c00308201070282010100c7698d04ad0b9552c5\#
        4623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c\#
        3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8\#
        b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c\#
        9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8\#
        d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f0200"}},
        {"name":"document-rsa-small","title":"a modulus of 1024 bits","proves":["KEY-11"],"clause":"RFC7518-3.3","\#
        given":{"bytes":"30819f300d06092a864886f70d010101050003818d0030818902818100c7698d04ad0b9552c54623dc992871b\#
        f6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633\#
        b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c\#
        1c80ab188575f0203010001"}},
        {"name":"document-rsa-exponent","title":"an exponent of one","proves":["KEY-11"],"clause":"RFC8017-3.1","g\#
        iven":{"bytes":"30820120300d06092a864886f70d01010105000382010d00308201080282010100c7698d04ad0b9552c54623dc\#
        992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc\#
        29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6\#
        c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7\#
        405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282\#
        feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f020101"}},
        {"name":"document-private-pair","title":"a private key with the public key of another","proves":["KEY-11"]\#
        ,"clause":"threat-8","given":{"bytes":"308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b02010\#
        10420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a14403420004da3950b3aa368b98f39d00cf0\#
        e58b8670bf66d5ad36d4a4e6d3752103a3584b092b6e2a2a73dbfe47fbb1974acd85fe9ad08f249374b7607859c8550751c21ad","\#
        secret":true}},
        {"name":"document-private-pair-compressed","title":"a private key with a compressed public key of the wron\#
        g sign","proves":["KEY-11"],"clause":"threat-8","given":{"bytes":"3067020100301306072a8648ce3d020106082a86\#
        48ce3d030107044d304b0201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a12403220003\#
        c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b53","secret":true}},
        {"name":"document-private-pair-version-2","title":"a private key version 2, with the public key of another\#
        ","proves":["KEY-11"],"clause":"threat-8","given":{"bytes":"308185020101301306072a8648ce3d020106082a8648ce\#
        3d030107042730250201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece881420004da3950b3\#
        aa368b98f39d00cf0e58b8670bf66d5ad36d4a4e6d3752103a3584b092b6e2a2a73dbfe47fbb1974acd85fe9ad08f249374b760785\#
        9c8550751c21ad","secret":true}},
        {"name":"document-private-version-1-public","title":"a private key version 1, with a public key","proves":\#
        ["KEY-11"],"clause":"RFC5958-2","given":{"bytes":"308185020100301306072a8648ce3d020106082a8648ce3d03010704\#
        2730250201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece881420004c13b12a6e62e153c71\#
        8a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34\#
        cfb4","secret":true}},
        {"name":"document-private-version-2-alone","title":"a private key version 2, without a public key","proves\#
        ":["KEY-11"],"clause":"RFC5958-2","given":{"bytes":"3041020101301306072a8648ce3d020106082a8648ce3d03010704\#
        2730250201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8","secret":true}},
        {"name":"document-private-version-3","title":"a private key version 3","proves":["KEY-11"],"clause":"RFC59\#
        58-2","given":{"bytes":"3041020102301306072a8648ce3d020106082a8648ce3d030107042730250201010420d9749a886f16\#
        7aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8","secret":true}},
        {"name":"document-private-inner-version","title":"a private key with an EC key of version 2","proves":["KE\#
        Y-11"],"clause":"RFC5958-2","given":{"bytes":"3041020100301306072a8648ce3d020106082a8648ce3d03010704273025\#
        0201020420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8","secret":true}},
        {"name":"document-private-other-curve","title":"a private key that names another curve inside","proves":["\#
        KEY-11"],"clause":"KEY-11","given":{"bytes":"304a020100301306072a8648ce3d020106082a8648ce3d0301070430302e0\#
        201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8a00706052b81040022","secret":true\#
        }},
        {"name":"document-private-bare-scalar","title":"a private key whose secret is the number alone","proves":[\#
        "KEY-11"],"clause":"KEY-11","given":{"bytes":"303a020100301306072a8648ce3d020106082a8648ce3d0301070420d974\#
        9a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece8","secret":true}},
        {"name":"document-private-short-scalar","title":"a private key with a number of 31 bytes","proves":["KEY-1\#
        1"],"clause":"RFC5480-2.2","given":{"bytes":"3040020100301306072a8648ce3d020106082a8648ce3d030107042630240\#
        20101041f01010101010101010101010101010101010101010101010101010101010101","secret":true}},
        {"name":"document-private-long-scalar","title":"a private key with a number of 33 bytes","proves":["KEY-11\#
        "],"clause":"RFC5480-2.2","given":{"bytes":"3042020100301306072a8648ce3d020106082a8648ce3d0301070428302602\#
        01010421000101010101010101010101010101010101010101010101010101010101010101","secret":true}},
        {"name":"document-private-zero","title":"a private key with a number of zero","proves":["KEY-11"],"clause"\#
        :"RFC6979-2.2","given":{"bytes":"3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420000\#
        0000000000000000000000000000000000000000000000000000000000000","secret":true}},
        {"name":"document-private-order","title":"a private key with a number of n","proves":["KEY-11"],"clause":"\#
        RFC6979-2.2","given":{"bytes":"3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420fffff\#
        fff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551","secret":true}},
        {"name":"document-private-extended-inside","title":"a private key with a byte behind the EC key","proves":\#
        ["KEY-11"],"clause":"KEY-11","given":{"bytes":"3042020100301306072a8648ce3d020106082a8648ce3d0301070428302\#
        50201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb80c39bd37257ece800","secret":true}},
        {"name":"document-private-rsa-private","title":"a private key of RSA","proves":["KEY-11"],"clause":"KEY-5"\#
        ,"given":{"bytes":"3016020100300d06092a864886f70d010101050004023000","secret":true}},
        {"name":"document-private-bare-seed","title":"a private key of Ed25519, whose seed has no tag","proves":["\#
        KEY-11"],"clause":"KEY-11","given":{"bytes":"302c020100300506032b657004209d61b19deffd5a60ba844af492ec2cc44\#
        449c5697b326919703bac031cae7f60","secret":true}},
        {"name":"document-private-ed25519-pair","title":"a private key of Ed25519, with the public key of another"\#
        ,"proves":["KEY-11"],"clause":"threat-8","given":{"bytes":"3051020101300506032b6570042204209d61b19deffd5a6\#
        0ba844af492ec2cc44449c5697b326919703bac031cae7f60812100586666666666666666666666666666666666666666666666666\#
        6666666666666","secret":true}},
        {"name":"document-sec1-nameless","title":"a key by SEC 1 that does not name its curve","proves":["KEY-11"]\#
        ,"clause":"RFC5480-2.1.1","given":{"bytes":"30250201010420d9749a886f167aea210af9a2731a84cf453744260aef0fbb\#
        80c39bd37257ece8","secret":true}},
        {"name":"document-text-label","title":"a text under the label of another content","proves":["KEY-11"],"cla\#
        use":"KEY-11","given":{"text":"-----BEGIN EC PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYu\#
        FTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END EC PUBLIC KEY\#
        -----\n"}},
        {"name":"document-text-certificate","title":"a text under the label of a certificate","proves":["KEY-11"],\#
        "clause":"KEY-11","given":{"text":"-----BEGIN CERTIFICATE-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpu\#
        YuFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END CERTIFICATE\#
        -----\n"}},
        {"name":"document-text-end","title":"a text whose end has another label","proves":["KEY-11"],"clause":"RFC\#
        7468-2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/\#
        jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PRIVATE KEY-----\n"}},
        {"name":"document-text-headers","title":"a text with headers","proves":["KEY-11"],"clause":"KEY-11","given\#
        ":{"text":"-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSp\#
        uYuFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY\#
        -----\n"}},
        {"name":"document-text-two","title":"a text two of them","proves":["KEY-11"],"clause":"RFC7468-2","given":\#
        {"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2QxHbAOB\nBwG\#
        J2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\n-----BEGIN PUBLIC KEY\#
        -----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhE\#
        r+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-text-before","title":"a text with a text before it","proves":["KEY-11"],"clause":"RFC746\#
        8-2","given":{"text":"Here it is:\n-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuY\#
        uFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY--\#
        ---\n"}},
        {"name":"document-text-behind","title":"a text with a text behind it","proves":["KEY-11"],"clause":"RFC746\#
        8-2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT\#
        2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\nThat is \#
        all.\n"}},
        {"name":"document-text-no-end","title":"a text without an end","proves":["KEY-11"],"clause":"RFC7468-2","g\#
        iven":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2QxHbAO\#
        B\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n"}},
        {"name":"document-text-wide","title":"a text in lines of 76 characters","proves":["KEY-11"],"clause":"RFC7\#
        468-2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/j\#
        nT2QxHbAOBBwGJ2uE2AGDT\nm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-text-one-line","title":"a text in one line","proves":["KEY-11"],"clause":"RFC7468-2","gi\#
        ven":{"text":"-----BEGIN PUBLIC KEY----- MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2QxHbAOB \#
        BwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA== -----END PUBLIC KEY----- "}},
        {"name":"document-text-blank-line","title":"a text with an empty line in it","proves":["KEY-11"],"clause":\#
        "RFC7468-2","given":{"text":"-----BEGIN PUBLIC KEY-----\n\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTx\#
        xilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\\#
        n"}},
        {"name":"document-text-alphabet","title":"a text with letters of base64url","proves":["KEY-11"],"clause":"\#
        RFC7468-2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxil\#
        Tq_jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr-DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY-----\n"}\#
        },
        {"name":"document-text-no-padding","title":"a text without padding","proves":["KEY-11"],"clause":"RFC7468-\#
        2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2Q\#
        xHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA=\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-text-stray-bits","title":"a text with bits behind its last byte","proves":["KEY-11"],"cl\#
        ause":"RFC7468-2","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuY\#
        uFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtB==\n-----END PUBLIC KEY--\#
        ---\n"}},
        {"name":"document-text-empty","title":"a text with nothing between","proves":["KEY-11"],"clause":"RFC7468-\#
        2","given":{"text":"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"}},
        {"name":"document-text-private","title":"a private key where a public one is wanted","proves":["KEY-11"],"\#
        clause":"KEY-11","given":{"text":"-----BEGIN PRIVATE KEY-----\nMEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgE\#
        BBCDZdJqIbxZ66iEK+aJz\nGoTPRTdEJgrvD7uAw5vTclfs6A==\n-----END PRIVATE KEY-----\n"}},
        {"name":"document-text-public","title":"a public key where a private one is wanted","proves":["KEY-11"],"c\#
        lause":"KEY-11","given":{"text":"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuF\#
        TxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END PUBLIC KEY----\#
        -\n","secret":true}},
        {"name":"document-text-encrypted","title":"an encrypted key","proves":["KEY-11"],"clause":"KEY-11","given"\#
        :{"text":"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpuYuFTxxilTq/jnT2\#
        QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END ENCRYPTED PRIVATE KEY-----\#
        \n","secret":true}},
        {"name":"document-text-rsa-private","title":"a private key of RSA in its own form","proves":["KEY-11"],"cl\#
        ause":"KEY-5","given":{"text":"-----BEGIN RSA PRIVATE KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwTsSpu\#
        YuFTxxilTq/jnT2QxHbAOB\nBwGJ2uE2AGDTm1Nk6LOvup4MildW4HJhEr+DKeW6BIIZF3HJOGk0OjTPtA==\n-----END RSA PRIVATE\#
         KEY-----\n","secret":true}},
        {"name":"document-text-sec1-as-pkcs8","title":"a key by SEC 1 under the label of PKCS #8","proves":["KEY-1\#
        1"],"clause":"KEY-11","given":{"text":"-----BEGIN PRIVATE KEY-----\nMDECAQEEINl0mohvFnrqIQr5onMahM9FN0QmCu\#
        8Pu4DDm9NyV+zooAoGCCqGSM49\nAwEH\n-----END PRIVATE KEY-----\n","secret":true}}]
        """#
}
