// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let curves = #"""
        [{"name":"p-256","title":"on P-256, the right signature","proves":["KEY-1"],"clause":null,"given":{"curve":\#
        "P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0\#
        726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signature":"c02693\#
        3109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c8\#
        2adfc52a32fe49bf"}},
        {"name":"p-256-zeros","title":"on P-256, r and s of zero","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","g\#
        iven":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3a\#
        fba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","sig\#
        nature":"0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000"}},
        {"name":"p-256-other-message","title":"on P-256, a signature over something else","proves":["KEY-1"],"clau\#
        se":"FIPS186-5-6.4.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c038107018\#
        9dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077\#
        6173206167726565642e","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd\#
        0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-mirrored","title":"on P-256, its twin, with n − s","proves":["KEY-1"],"clause":null,"given"\#
        :{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9e\#
        0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signatur\#
        e":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd57563a22e15847f9670c568914289c70cf34240\#
        71698c5bbcc8da0598c964db92"}},
        {"name":"p-256-compressed-key","title":"on P-256, by a key that is compressed","proves":["KEY-1"],"clause"\#
        :null,"given":{"curve":"P-256","public":"02c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5\#
        3","message":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611e\#
        e2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-other-hash","title":"on P-256, a signature over another hash","proves":["KEY-1"],"clause":"\#
        FIPS186-5-6.4.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1\#
        360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"77686174207761732\#
        0616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd544876b8bc3949a\#
        6af1a94e199e87d4e110afdb8fc9c51d0463bd20f56de5e518"}},
        {"name":"p-256-other-key","title":"on P-256, a signature by another key","proves":["KEY-1"],"clause":"FIPS\#
        186-5-6.4.2","given":{"curve":"P-256","public":"04da3950b3aa368b98f39d00cf0e58b8670bf66d5ad36d4a4e6d375210\#
        3a3584b092b6e2a2a73dbfe47fbb1974acd85fe9ad08f249374b7607859c8550751c21ad","message":"776861742077617320616\#
        772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f\#
        3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-swapped","title":"on P-256, s before r","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","give\#
        n":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba\#
        9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signat\#
        ure":"8a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bfc026933109f62f876aae8388f33a424b5dac\#
        edd2f6f611ee2515bcc90fca0bd5"}},
        {"name":"p-256-zero-r","title":"on P-256, an r of zero","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","giv\#
        en":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afb\#
        a9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signa\#
        ture":"00000000000000000000000000000000000000000000000000000000000000008a9c5dd0ea7b806a8f3a976ebd7638f2c9a\#
        4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-zero-s","title":"on P-256, an s of zero","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","giv\#
        en":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afb\#
        a9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signa\#
        ture":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd500000000000000000000000000000000000\#
        00000000000000000000000000000"}},
        {"name":"p-256-r-of-order","title":"on P-256, an r of n","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","gi\#
        ven":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3af\#
        ba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","sign\#
        ature":"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325518a9c5dd0ea7b806a8f3a976ebd7638f2c9\#
        a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-s-of-order","title":"on P-256, an s of n","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","gi\#
        ven":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3af\#
        ba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","sign\#
        ature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd5ffffffff00000000ffffffffffffffffbc\#
        e6faada7179e84f3b9cac2fc632551"}},
        {"name":"p-256-small-s","title":"on P-256, with an s of five","proves":["KEY-1"],"clause":null,"given":{"c\#
        urve":"P-256","public":"048b7a44e781afb7a71cb555dcf8dfa238e9594d61c2ecea68c802b4c8dcf470553c51a16721f144a9\#
        dabf745cf734ea009de31388547b5ea0225baa0195b6eeb0","message":"776861742077617320616772656564","signature":"\#
        2f3084033789f1cc75437a6edefbbd16aef18a9860b6c25f07198a5bbd5d24a9000000000000000000000000000000000000000000\#
        0000000000000000000005"}},
        {"name":"p-256-s-plus-order","title":"on P-256, with an s of five and n","proves":["KEY-1"],"clause":"FIPS\#
        186-5-6.4.2","given":{"curve":"P-256","public":"048b7a44e781afb7a71cb555dcf8dfa238e9594d61c2ecea68c802b4c8\#
        dcf470553c51a16721f144a9dabf745cf734ea009de31388547b5ea0225baa0195b6eeb0","message":"776861742077617320616\#
        772656564","signature":"2f3084033789f1cc75437a6edefbbd16aef18a9860b6c25f07198a5bbd5d24a9ffffffff00000000ff\#
        ffffffffffffffbce6faada7179e84f3b9cac2fc632556"}},
        {"name":"p-256-small-r","title":"on P-256, whose point has an x above n","proves":["KEY-1"],"clause":null,\#
        "given":{"curve":"P-256","public":"04c66d6fcea024808732ddf984bc5196ab93e4f44482abc1300ae4a02165cb6cd7070c2\#
        6bcc5dd62990776857c431968935b5e7d63f25f0f060dc55722901d95d1","message":"776861742077617320616772656564","s\#
        ignature":"00000000000000000000000000000000000000000000000000000000000000030000000000000000000000000000000\#
        000000000000000000000000000000007"}},
        {"name":"p-256-r-plus-order","title":"on P-256, whose r is that x, not reduced","proves":["KEY-1"],"clause\#
        ":"FIPS186-5-6.4.2","given":{"curve":"P-256","public":"04c66d6fcea024808732ddf984bc5196ab93e4f44482abc1300\#
        ae4a02165cb6cd7070c26bcc5dd62990776857c431968935b5e7d63f25f0f060dc55722901d95d1","message":"77686174207761\#
        7320616772656564","signature":"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255400000000000\#
        00000000000000000000000000000000000000000000000000007"}},
        {"name":"p-256-cut","title":"on P-256, without its last byte","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2\#
        ","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e\#
        8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564",\#
        "signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd763\#
        8f2c9a4ba3c3d8b42c82adfc52a32fe49"}},
        {"name":"p-256-extended","title":"on P-256, with a byte more","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2\#
        ","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e\#
        8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564",\#
        "signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd763\#
        8f2c9a4ba3c3d8b42c82adfc52a32fe49bf00"}},
        {"name":"p-256-empty","title":"on P-256, of no bytes","proves":["KEY-1"],"clause":"FIPS186-5-6.4.2","given\#
        ":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b3afba9\#
        e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","signatu\#
        re":""}},
        {"name":"p-256-der","title":"on P-256, in the form of DER","proves":["KEY-22"],"clause":"FIPS186-5-6.4.2",\#
        "given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d39b5364e8b\#
        3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772656564","s\#
        ignature":"30440220c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd502208a9c5dd0ea7b806a8f3\#
        a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-first-bit","title":"on P-256, with its first bit turned","proves":["KEY-1"],"clause":"FIPS1\#
        86-5-6.4.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae136006\#
        0d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"7768617420776173206167\#
        72656564","signature":"4026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3\#
        a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-last-bit","title":"on P-256, with its last bit turned","proves":["KEY-1"],"clause":"FIPS186\#
        -5-6.4.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae1360060d\#
        39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"776861742077617320616772\#
        656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a9\#
        76ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49be"}},
        {"name":"p-256-infinity","title":"on P-256, for which the sum is infinity","proves":["KEY-1"],"clause":"FI\#
        PS186-5-6.4.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90c476c0381070189dae136\#
        0060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","message":"7768617420776173206\#
        16772656564","signature":"9ad2bc9440ebf06de9476164a2269cc532faf9e770f8ff3ef171ee3e58cc1a258a9c5dd0ea7b806a\#
        8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-infinity","title":"on P-256, with a key that is the point at infinity","proves":["KEY-1\#
        ","threat-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"00","message":"776861742077617\#
        320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b\#
        806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-empty","title":"on P-256, with a key that is no bytes","proves":["KEY-1","threat-7"],"c\#
        lause":"RFC5480-2.2","given":{"curve":"P-256","public":"","message":"776861742077617320616772656564","sign\#
        ature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9\#
        a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-off-curve","title":"on P-256, with a key that is no point of the curve","proves":["KEY-\#
        1","threat-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe3\#
        9d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb5","me\#
        ssage":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515b\#
        cc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-zeros","title":"on P-256, with a key that is a point of zeros","proves":["KEY-1","threa\#
        t-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"04000000000000000000000000000000000000\#
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","message":"7\#
        76861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0b\#
        d58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-unreduced","title":"on P-256, with a key that is a point whose x is not reduced","prove\#
        s":["KEY-1","threat-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"04ffffffff0000000100\#
        0000000000000000000001000000000000000000000004459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248\#
        fbcc","message":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f6\#
        11ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-compressed-off-curve","title":"on P-256, with a key that is an x that belongs to no poi\#
        nt","proves":["KEY-1","threat-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"0200000000\#
        00000000000000000000000000000000000000000000000000000001","message":"776861742077617320616772656564","sign\#
        ature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9\#
        a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-compressed-unreduced","title":"on P-256, with a key that is a compressed x that is not \#
        reduced","proves":["KEY-1","threat-7"],"clause":"RFC8446-4.2.8.2","given":{"curve":"P-256","public":"02fff\#
        fffff00000001000000000000000000000001000000000000000000000004","message":"776861742077617320616772656564",\#
        "signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd763\#
        8f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-hybrid","title":"on P-256, with a key that is a point in the hybrid form","proves":["KE\#
        Y-1","threat-7"],"clause":"RFC5480-2.2","given":{"curve":"P-256","public":"06c13b12a6e62e153c718a54eafe39d\#
        3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","mess\#
        age":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc\#
        90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-bare","title":"on P-256, with a key that is a point without its first byte","proves":["\#
        KEY-1","threat-7"],"clause":"RFC5480-2.2","given":{"curve":"P-256","public":"c13b12a6e62e153c718a54eafe39d\#
        3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb4","mess\#
        age":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc\#
        90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-short","title":"on P-256, with a key that is a point without its last byte","proves":["\#
        KEY-1","threat-7"],"clause":"RFC5480-2.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe3\#
        9d3d90c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cf","mess\#
        age":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc\#
        90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-256-key-long","title":"on P-256, with a key that is a point with a byte more","proves":["KEY-1"\#
        ,"threat-7"],"clause":"RFC5480-2.2","given":{"curve":"P-256","public":"04c13b12a6e62e153c718a54eafe39d3d90\#
        c476c0381070189dae1360060d39b5364e8b3afba9e0c8a5756e0726112bf8329e5ba0482191771c93869343a34cfb400","messag\#
        e":"776861742077617320616772656564","signature":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90\#
        fca0bd58a9c5dd0ea7b806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"p-384","title":"on P-384, the right signature","proves":["KEY-2"],"clause":null,"given":{"curve":\#
        "P-384","public":"04fe4aafd993947e8a30fb400635832a2a99eba2628b762249368e13575f262f8725ebd6421384e94cdf7490\#
        ed2b971f74cb0e7c6a90b5fd52872a58f0f19ef711de1b945911ddcf401e642526af357485f7ccb6e6d66a6073145aa033e631cc61\#
        ","message":"776861742077617320616772656564","signature":"c6770d0ecf7a70226fd3430275d4c4b5c73a2e5f0ccff055\#
        f70fc981fe6a7dc18bcda2070a11ff1d638b70564b3c202a360d7355a4b0942599d169bb48e4953ba78e1d949b9d619d9407486796\#
        d601a86ccec9fba5456fbbfaf6b37d96ad2f9f"}},
        {"name":"p-384-zeros","title":"on P-384, r and s of zero","proves":["KEY-2"],"clause":"FIPS186-5-6.4.2","g\#
        iven":{"curve":"P-384","public":"04fe4aafd993947e8a30fb400635832a2a99eba2628b762249368e13575f262f8725ebd64\#
        21384e94cdf7490ed2b971f74cb0e7c6a90b5fd52872a58f0f19ef711de1b945911ddcf401e642526af357485f7ccb6e6d66a60731\#
        45aa033e631cc61","message":"776861742077617320616772656564","signature":"000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        00000000000000000000000000000000000000000000000000000"}},
        {"name":"p-384-other-message","title":"on P-384, a signature over something else","proves":["KEY-2"],"clau\#
        se":"FIPS186-5-6.4.2","given":{"curve":"P-384","public":"04fe4aafd993947e8a30fb400635832a2a99eba2628b76224\#
        9368e13575f262f8725ebd6421384e94cdf7490ed2b971f74cb0e7c6a90b5fd52872a58f0f19ef711de1b945911ddcf401e642526a\#
        f357485f7ccb6e6d66a6073145aa033e631cc61","message":"7768617420776173206167726565642e","signature":"c6770d0\#
        ecf7a70226fd3430275d4c4b5c73a2e5f0ccff055f70fc981fe6a7dc18bcda2070a11ff1d638b70564b3c202a360d7355a4b094259\#
        9d169bb48e4953ba78e1d949b9d619d9407486796d601a86ccec9fba5456fbbfaf6b37d96ad2f9f"}},
        {"name":"p-521","title":"on P-521, the right signature","proves":["KEY-2"],"clause":null,"given":{"curve":\#
        "P-521","public":"04014253f5d3885b5e553785ef7a6fecb58c67012160a3502d948579d5b4ae8c2dca76bb6d0e2df080e4032e\#
        9ac8cf1c92dec664f9ea00cc4a78543d24b83af04994ee014920e784bbcec712f889fa75fab74ffd24d1d12c6eac96855159e1cbf6\#
        a9621f73285293152b79b79b7d1346f0a76028af0336692f3982ceb933aa59acef3269df","message":"776861742077617320616\#
        772656564","signature":"00972f90a64f274f7123e06085a786fa8d3d17f8564152d10d710d8734ce3e90637a391d69d80b9ac3\#
        f40a2ce9c6dd05593da7809e513e37008cd173fc92f8397890017842a099083315685ba4667e39032937d0931ea7a473be6f6fbd30\#
        64b5b5e3d65dbfa275c980c62bea5ecaad7260ba9b954ca69699d45b76db93fd07032b401993"}},
        {"name":"p-521-zeros","title":"on P-521, r and s of zero","proves":["KEY-2"],"clause":"FIPS186-5-6.4.2","g\#
        iven":{"curve":"P-521","public":"04014253f5d3885b5e553785ef7a6fecb58c67012160a3502d948579d5b4ae8c2dca76bb6\#
        d0e2df080e4032e9ac8cf1c92dec664f9ea00cc4a78543d24b83af04994ee014920e784bbcec712f889fa75fab74ffd24d1d12c6ea\#
        c96855159e1cbf6a9621f73285293152b79b79b7d1346f0a76028af0336692f3982ceb933aa59acef3269df","message":"776861\#
        742077617320616772656564","signature":"0000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}},
        {"name":"p-521-other-message","title":"on P-521, a signature over something else","proves":["KEY-2"],"clau\#
        se":"FIPS186-5-6.4.2","given":{"curve":"P-521","public":"04014253f5d3885b5e553785ef7a6fecb58c67012160a3502\#
        d948579d5b4ae8c2dca76bb6d0e2df080e4032e9ac8cf1c92dec664f9ea00cc4a78543d24b83af04994ee014920e784bbcec712f88\#
        9fa75fab74ffd24d1d12c6eac96855159e1cbf6a9621f73285293152b79b79b7d1346f0a76028af0336692f3982ceb933aa59acef3\#
        269df","message":"7768617420776173206167726565642e","signature":"00972f90a64f274f7123e06085a786fa8d3d17f85\#
        64152d10d710d8734ce3e90637a391d69d80b9ac3f40a2ce9c6dd05593da7809e513e37008cd173fc92f8397890017842a09908331\#
        5685ba4667e39032937d0931ea7a473be6f6fbd3064b5b5e3d65dbfa275c980c62bea5ecaad7260ba9b954ca69699d45b76db93fd0\#
        7032b401993"}}]
        """#
}
